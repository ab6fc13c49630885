/** Pages as a browser shows them on every kind of screen: axe finds nothing, nothing is wider than the screen, and the keyboard reaches everything. */
import { AxeBuilder } from '@axe-core/playwright'
import { sampleReport } from '@cupel/testkit'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi, type Front } from './fake-api.js'
import { jobId, pictureAnswer, reportIds } from './picture-answers.js'

/** Only a hang takes longer, even on busy processors. */
const TIMEOUT_MS = 120_000
const report = sampleReport()
/** Reports of one address, whose score rises. */
const history = [81, 42.5, 12].map((score, index) => ({
  ...report,
  report_id: `9f2c4a1be07d636${index}`,
  generated_at: `2026-11-2${3 - index}T09:00:00.000Z`,
  risk: { ...report.risk, score, level: score > 70 ? 'red' : 'orange' },
}))

export interface LookedAt {
  /** The path of the page as its feature declares it. */
  readonly page: string
  /** The address that is opened; `page` if absent. */
  readonly at?: string
  /** The status of its answer; 200 if absent. */
  readonly status?: number
  readonly isSignedIn?: false
}

const ENDPOINT = '/webhooks/we_0a1b2c3d4e5f60718293'
const REPORT = `/reports/${reportIds['orange']!}`

/** Pages for daily work and for administration. */
export const workPages: readonly LookedAt[] = [
  { page: '/' },
  { page: '/inbox' },
  { page: '/keys' },
  { page: '/keys/{key_id}', at: '/keys/8f2k1m0a' },
  { page: '/accounts' },
  { page: '/changes/{change_id}', at: '/changes/chg_0a1b2c3d4e5f60718293' },
  { page: '/lists' },
  { page: '/lists/imports/{import_id}', at: '/lists/imports/lio_0a1b2c3d4e5f60718293' },
  { page: '/ledger' },
  { page: '/policy' },
  { page: '/health' },
  { page: '/usage' },
  { page: '/history', at: `/history?q=${report.address}` },
  { page: '/compare', at: `/compare?report=${history[0]!.report_id}&report=${history[1]!.report_id}` },
]

/** All others that a person sees. */
export const otherPages: readonly LookedAt[] = [
  { page: '/sign-in', isSignedIn: false },
  { page: '/screen', at: `/screen?address=${report.address}` },
  { page: '/transfers' },
  { page: '/reports/{report_id}', at: REPORT },
  { page: '/reports/{report_id}', at: `/reports/${reportIds['huge']!}` },
  { page: '/reports/{report_id}/share-links/{share_id}', at: `${REPORT}/share-links/share_1`, status: 410 },
  { page: '/shared/{token}', at: `/shared/cpl_share_${'0'.repeat(57)}`, isSignedIn: false },
  { page: '/cases' },
  { page: '/cases/{report_id}', at: `/cases/${reportIds['orange']!}` },
  { page: '/labels' },
  { page: '/labels/search', at: `/labels/search?address=${report.address}` },
  { page: '/keys/{key_id}/new', at: '/keys/8f2k1m0a/new', status: 410 },
  { page: '/audit' },
  { page: '/bulk' },
  { page: '/bulk/new' },
  { page: '/bulk/{job_id}', at: `/bulk/${jobId}` },
  { page: '/watches' },
  { page: '/webhooks' },
  { page: '/webhooks/{endpoint_id}', at: ENDPOINT },
  { page: '/webhooks/{endpoint_id}/secret', at: `${ENDPOINT}/secret`, status: 410 },
  {
    page: '/webhooks/{endpoint_id}/deliveries/{delivery_id}',
    at: `${ENDPOINT}/deliveries/3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c`,
  },
  { page: '/nothing', status: 404 },
]

const phone = { viewport: { width: 390, height: 900 } }
const looks: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desk', {}],
  ['in the dark', { colorScheme: 'dark' }],
  ['on a phone', phone],
  ['on a phone in the dark', { ...phone, colorScheme: 'dark' }],
]

/** Everything in the page that can be used, as a place in the document; what is folded away comes when it is unfolded. */
const USABLE = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)`

type OpenPage = (one: LookedAt, look: BrowserContextOptions) => Promise<Page>

/** Declares the tests of the pages. What it returns opens a page in the browser of these tests. */
export function testLooks(pages: readonly LookedAt[]): OpenPage {
  const open = opener()
  const named = pages.map((one) => [one.at ?? one.page, one] as const)
  const cases = named.flatMap(([what, one]) => looks.map(([name, look]) => [what, name, one, look] as const))

  test.each(cases)('%s %s', async (_what, _name, one, look) => {
    const page = await open(one, look)
    try {
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    } finally {
      await page.context().close()
    }
  })

  test.each(named)(
    '%s: the keyboard reaches everything that can be used, and shows where it is',
    async (_what, one) => {
      const page = await open(one, {})
      try {
        await expectReachable(page)
      } finally {
        await page.context().close()
      }
    },
  )
  return open
}

async function expectReachable(page: Page): Promise<void> {
  await page.evaluate('document.activeElement?.blur(); window.scrollTo(0, 0)')
  const count = Number(await page.evaluate(`${USABLE}.length`))
  const reached = new Set<number>()
  // A field of a date has a place for each of its parts.
  for (let press = 0; press < 4 * count && reached.size < count; press += 1) {
    await page.keyboard.press('Tab')
    const [place, outline] = (await page.evaluate(
      `(() => { const at = document.activeElement; return [${USABLE}.indexOf(at), getComputedStyle(at).outlineStyle] })()`,
    )) as [number, string]
    if (place >= 0) expect(outline).not.toBe('none')
    if (place >= 0) reached.add(place)
  }
  const missed = (await page.evaluate(
    `${USABLE}.map((one, place) => [place, one.outerHTML.slice(0, 120)])`,
  )) as [number, string][]
  expect(missed.filter(([place]) => !reached.has(place))).toEqual([])
}

/** Opens pages of a console whose API answers with examples, as an operator sees them. */
function opener(): OpenPage {
  let api: FakeApi
  let front: Front
  let browser: Browser
  beforeAll(async () => {
    api = await startFakeApi()
    front = await startFront(api, { extraStyle: '' })
    browser = await chromium.launch({
      ...{ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: TIMEOUT_MS },
    })
    const others = pictureAnswer()
    api.answer = (call, response) => {
      const { pathname, searchParams } = new URL(call.path, 'http://api.invalid')
      const isOfOne = pathname === '/v1/reports' && (searchParams.get('address') ?? '') !== ''
      const known = history.find(({ report_id: id }) => pathname === `/v1/reports/${id}`)
      if (isOfOne) json(200, { items: history, next_page_token: null })(call, response)
      else if (known !== undefined) json(200, known)(call, response)
      else others(call, response)
    }
  })
  afterAll(async () => {
    await browser.close()
    await front.close()
    await api.close()
  })
  return async ({ page: path, at = path, status = 200, isSignedIn = true }, look) => {
    const context = await browser.newContext(look)
    context.setDefaultTimeout(TIMEOUT_MS)
    const [name = '', value = ''] = cookieOf(aSession({ scope: 'operator' })).split('=', 2)
    if (isSignedIn) await context.addCookies([{ name, value, url: front.url }])
    const page = await context.newPage()
    const answer = await page.goto(front.url + at)
    expect(answer?.status()).toBe(status)
    return page
  }
}
