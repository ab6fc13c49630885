/** Compares pages with approved pictures. No other test shows what a change of a style breaks. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { comparePicture, noteSkip } from '@cupel/testkit'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'
import { aSession, cookieOf, startFakeApi, startFront, type FakeApi } from './fake-api.js'
import { jobId, pictureAnswer, reportIds } from './picture-answers.js'

/** Half the pixels of the page: text appears as a shape, and the files are small. */
const SCALE = 0.5
/** Allowed share of different pixels. Versions of Chromium smooth edges differently. */
const MAX_DIFFERENT = 0.006
const DESK = { width: 1_180, height: 1_100 }
const PHONE = { width: 390, height: 1_100 }

interface Picture {
  readonly name: string
  readonly path: string
  readonly look?: BrowserContextOptions
  readonly media?: 'print'
  readonly isEmpty?: boolean
  readonly isSignedIn?: boolean
  /** The scope of the key; `read-write` by default. */
  readonly scope?: string
  /** Name of the person, if a sign-in service vouches for one. */
  readonly actor?: string
  /** Actions of a person on the page before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>
}

/** Only a hang takes longer, even on busy processors. */
const STEP_TIMEOUT_MS = 120_000
const LOW = { viewport: { width: 1_180, height: 900 } }
const phone = { viewport: PHONE } as const
const darkPhone = { viewport: PHONE, colorScheme: 'dark' } as const
const LONG_NAME = 'Maximiliana Constantinopolitana von und zu Hohenzollern-Sigmaringen the Third'
const report = (name: string): string => `/reports/${reportIds[name]!}`

const pictures: readonly Picture[] = [
  { name: 'sign-in', path: '/sign-in', isSignedIn: false },
  { name: 'sign-in-phone-dark', path: '/sign-in', isSignedIn: false, look: darkPhone },
  { name: 'home', path: '/' },
  { name: 'home-empty', path: '/', isEmpty: true },
  { name: 'home-phone-dark', path: '/', look: darkPhone },
  { name: 'screen', path: '/screen?address=0x098B716B8Aaf21512996dC57EB0615e2383E2f96' },
  { name: 'report-red', path: report('red') },
  { name: 'report-red-phone-dark', path: report('red'), look: darkPhone },
  { name: 'report-red-print', path: report('red'), media: 'print' },
  { name: 'report-orange-flow', path: report('orange'), look: LOW, act: toFlow },
  { name: 'report-orange-flow-phone-dark', path: report('orange'), look: darkPhone, act: toFlow },
  { name: 'report-green', path: report('green') },
  { name: 'report-grey', path: report('grey') },
  { name: 'report-huge-phone', path: report('huge'), look: phone },
  { name: 'history', path: '/history' },
  { name: 'history-phone', path: '/history', look: phone },
  { name: 'compare', path: `/compare?report=${reportIds['orange']!}&report=${reportIds['red']!}` },
  { name: 'job', path: `/bulk/${jobId}` },
  { name: 'job-phone-dark', path: `/bulk/${jobId}`, look: darkPhone },
  { name: 'lists', path: '/lists' },
  { name: 'lists-phone', path: '/lists', look: phone },
  { name: 'inbox', path: '/inbox', scope: 'admin' },
  { name: 'keys', path: '/keys', scope: 'admin' },
  { name: 'change-phone-dark', path: '/changes/chg_0a1b2c3d4e5f60718293', scope: 'admin', look: darkPhone },
  { name: 'accounts', path: '/accounts', scope: 'operator' },
  { name: 'ledger', path: '/ledger' },
  { name: 'ledger-phone-dark', path: '/ledger', look: darkPhone },
  { name: 'watches', path: '/watches' },
  { name: 'policy', path: '/policy' },
  { name: 'what-if', path: '/policy', act: tryPolicy },
  { name: 'cases-phone', path: '/cases', look: phone },
  { name: 'missing-long-name', path: '/nothing', actor: LONG_NAME },
]

async function toFlow(page: Page): Promise<void> {
  await page
    .getByRole('heading', { name: 'Where the money came from' })
    .evaluate((title) => title.scrollIntoView())
}

async function tryPolicy(page: Page): Promise<void> {
  await page.getByLabel('Levels: red').fill('80')
  await page.getByRole('button', { name: 'Try these numbers' }).click()
  await page.waitForURL('**/policy/what-if')
}

const isInstalled = existsSync(CHROMIUM)
if (!isInstalled) noteSkip(`pages are not compared with approved pictures: no Chromium at ${CHROMIUM}`)

let api: FakeApi
let front: Awaited<ReturnType<typeof startFront>>
let browser: Browser
beforeAll(async () => {
  if (!isInstalled) return
  api = await startFakeApi()
  front = await startFront(api, { extraStyle: fontStyle })
  const args = ['--no-sandbox', '--font-render-hinting=none', '--disable-lcd-text']
  browser = await chromium.launch({ executablePath: CHROMIUM, args, timeout: STEP_TIMEOUT_MS })
})
afterAll(async () => {
  if (!isInstalled) return
  await browser.close()
  await front.close()
  await api.close()
})

test.skipIf(!isInstalled).each(pictures)('$name looks as approved', async (picture) => {
  const approved = fileURLToPath(new URL(`pictures/${picture.name}.png`, import.meta.url))
  const { fault } = comparePicture(await take(picture), { approved, maxDifferent: MAX_DIFFERENT })
  expect(fault).toBeNull()
})

async function take(picture: Picture): Promise<Buffer> {
  const {
    path,
    look = {},
    media,
    isEmpty = false,
    isSignedIn = true,
    actor = null,
    scope = 'read-write',
    act,
  } = picture
  api.answer = pictureAnswer({ isEmpty })
  const context = await contextOf(look)
  await context.clearCookies()
  const [name = '', value = ''] = cookieOf(aSession({ actor, scope })).split('=', 2)
  if (isSignedIn) await context.addCookies([{ name, value, url: front.url }])
  const page = await context.newPage()
  if (media !== undefined) await page.emulateMedia({ media })
  await page.goto(path)
  await act?.(page)
  await page.evaluate('document.fonts.ready')
  const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  await page.close()
  return taken
}

const contexts = new Map<string, BrowserContext>()

/** One context for each look serves all its pictures. */
async function contextOf(look: BrowserContextOptions): Promise<BrowserContext> {
  const known = contexts.get(JSON.stringify(look))
  if (known !== undefined) return known
  const context = await browser.newContext({
    ...{ baseURL: front.url, viewport: DESK, deviceScaleFactor: SCALE, ...look },
    // Fields format dates by the browser’s language. The console’s policy allows no fonts of pages.
    ...{ locale: 'en-GB', timezoneId: 'UTC', bypassCSP: true },
  })
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  for (const [name, file] of Object.entries(fonts))
    await context.route(`**/fonts/${name}`, (route) => route.fulfill({ path: file }))
  contexts.set(JSON.stringify(look), context)
  return context
}

const fileOf = (packageName: string, path: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), path)

/** The fonts of the PDF replace those of the machine. */
const fonts = {
  text: fileOf('@expo-google-fonts/noto-sans', '400Regular/NotoSans_400Regular.ttf'),
  bold: fileOf('@expo-google-fonts/noto-sans', '700Bold/NotoSans_700Bold.ttf'),
  code: fileOf('dejavu-fonts-ttf', 'ttf/DejaVuSansMono.ttf'),
  signs: fileOf('dejavu-fonts-ttf', 'ttf/DejaVuSans.ttf'),
}
const fontStyle = `
  @font-face { font-family: Text; font-weight: 400 599; src: url(/fonts/text); }
  @font-face { font-family: Text; font-weight: 600 800; src: url(/fonts/bold); }
  @font-face { font-family: Code; src: url(/fonts/code); }
  @font-face { font-family: Signs; src: url(/fonts/signs); }
  :root { --font: Text, Signs; --font-code: Code, Signs; }
`
