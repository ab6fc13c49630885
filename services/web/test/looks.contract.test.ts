/** Pages for daily work on every kind of screen: axe finds nothing, nothing is wider than the screen, and the keyboard reaches everything. */
import { AxeBuilder } from '@axe-core/playwright'
import { sampleReport } from '@cupel/testkit'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi, type Front } from './fake-api.js'
import { pictureAnswer } from './picture-answers.js'

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

const phone = { viewport: { width: 390, height: 900 } }
const looks: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desk', {}],
  ['in the dark', { colorScheme: 'dark' }],
  ['on a phone', phone],
  ['on a phone in the dark', { ...phone, colorScheme: 'dark' }],
]
const paths: readonly (readonly [string, string])[] = [
  ['Home', '/'],
  ['Inbox', '/inbox'],
  ['Keys', '/keys'],
  ['a key', '/keys/8f2k1m0a'],
  ['Accounts', '/accounts'],
  ['a proposed change', '/changes/chg_0a1b2c3d4e5f60718293'],
  ['a proposal of a policy', '/policy/proposals/pol_0a1b2c3d4e5f60718293'],
  ['Lists', '/lists'],
  ['the import of a list', '/lists/imports/lio_0a1b2c3d4e5f60718293'],
  ['Ledger', '/ledger'],
  ['Policy', '/policy'],
  ['Health', '/health'],
  ['Usage', '/usage'],
  ['the history of an address', `/history?q=${report.address}`],
  ['a comparison', `/compare?report=${history[0]!.report_id}&report=${history[1]!.report_id}`],
]

async function open(path: string, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(look)
  context.setDefaultTimeout(TIMEOUT_MS)
  const [name = '', value = ''] = cookieOf(aSession({ scope: 'operator' })).split('=', 2)
  await context.addCookies([{ name, value, url: front.url }])
  const page = await context.newPage()
  const answer = await page.goto(front.url + path)
  expect(answer?.status()).toBe(200)
  return page
}

/** Everything in the page that can be used, as a place in the document; what is folded away comes when it is unfolded. */
const USABLE = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)`

const cases = paths.flatMap(([what, path]) => looks.map(([name, look]) => [what, name, path, look] as const))

test.each(cases)('%s %s', async (_what, _name, path, look) => {
  const page = await open(path, look)
  try {
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  } finally {
    await page.context().close()
  }
})

test.each(paths)(
  '%s: the keyboard reaches everything that can be used, and shows where it is',
  async (_what, path) => {
    const page = await open(path, {})
    try {
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
    } finally {
      await page.context().close()
    }
  },
)
