/** The picture of the flow as people use it: by keyboard, on a phone, in the dark, and one hop further. */
import { AxeBuilder } from '@axe-core/playwright'
import { flowReport, sampleReports } from '@cupel/testkit'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi, type Front } from './fake-api.js'

/** Only a hang takes longer, even on busy processors. */
const TIMEOUT_MS = 120_000
const report = flowReport()
const PATH = `/reports/${report.report_id}`
const mixer = report.exposure[0]!.by_category[0]!.counterparties[0]!.address

let api: FakeApi
let front: Front
let browser: Browser
/** Reports that the account has of other addresses. */
let others: readonly unknown[] = []
/** What is shown under the id of the report. */
let shown: unknown = report
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api, { extraStyle: '' })
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox'],
    timeout: TIMEOUT_MS,
  })
  api.answer = (call, response) => {
    const { pathname, searchParams } = new URL(call.path, 'http://api.invalid')
    const isParty = searchParams.get('address') !== report.address
    if (pathname === `/v1/reports/${report.report_id}`) json(200, shown)(call, response)
    else if (pathname === '/v1/reports')
      json(200, { items: isParty ? others : [], next_page_token: null })(call, response)
    else json(404, { title: 'nothing' })(call, response)
  }
})
beforeEach(() => {
  others = []
  shown = report
})
afterAll(async () => {
  await browser.close()
  await front.close()
  await api.close()
})

async function open(path: string, look: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(look)
  context.setDefaultTimeout(TIMEOUT_MS)
  const [name = '', value = ''] = cookieOf(aSession()).split('=', 2)
  await context.addCookies([{ name, value, url: front.url }])
  const page = await context.newPage()
  await page.goto(front.url + path)
  return page
}

const phone = { viewport: { width: 390, height: 900 } }

test.each<[string, BrowserContextOptions]>([
  ['on a desk', {}],
  ['in the dark', { colorScheme: 'dark' }],
  ['on a phone', phone],
  ['on a phone in the dark', { ...phone, colorScheme: 'dark' }],
])('axe finds no fault %s, and nothing is wider than the screen', async (_, look) => {
  const page = await open(`${PATH}?expand=${mixer}#in-0`, look)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.context().close()
})

test.each([
  ['on a desk', '.flow-wide', {}],
  ['on a phone', '.flow-narrow', phone],
] as const)(
  'each line tells a pointer %s from or to whom, how much, in dollars, and when',
  async (_, drawing, look) => {
    const page = await open(PATH, look)
    const lines = page.locator(`${drawing} g:has(> .flow-line)`)
    expect(await lines.count()).toBe(12)
    const told = await page.evaluate(`[...document.querySelectorAll('${drawing} .flow-line')].map((line) => {
    const { x, y } = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM())
    scrollBy(0, y - innerHeight / 2)
    const at = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM())
    return document.elementFromPoint(at.x + 1, at.y + 1).closest('g')?.querySelector('title')?.textContent ?? ''
  })`)
    expect(told).toContain(
      'From: Tornado Cash, 120.123456789012345678 ETH, $360,370.37, 2024-01-02 to 2025-11-12',
    )
    expect((told as readonly string[]).filter((text) => /^(?:From|To): ./.test(text)).length).toBeGreaterThan(
      9,
    )
    await page.context().close()
  },
)

test('each node is reached by the keyboard, and leads to its entry with what can be done', async () => {
  const page = await open(PATH)
  const nodes = page.locator('.flow-wide a')
  expect(await nodes.count()).toBe(12)
  await nodes.first().focus()
  expect(await nodes.first().textContent()).toContain('Mixer, indirect')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('#in-0-between')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  const entry = page.locator('#in-0')
  await entry.waitFor({ state: 'visible' })
  expect(await entry.locator('code').textContent()).toBe(mixer)
  const links = await entry.getByRole('link').all()
  expect(await Promise.all(links.map((link) => link.textContent()))).toEqual([
    ...['Screen it', 'One hop further', 'Its reports', 'Explorer', 'Its transfers'],
  ])
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Screen it')
  await entry.getByRole('link', { name: 'Its transfers' }).click()
  await page.locator('[id^="evidence-"]:target table').waitFor()
  await page.context().close()
})

test('what is grouped opens: each address that the report names, and the number of the others', async () => {
  shown = { ...sampleReports()['huge']!, report_id: report.report_id }
  const page = await open(PATH)
  const node = page.locator('.flow-wide a[href$="-others"]').first()
  const numberIn = (text: string | null, pattern: RegExp): number =>
    Number((pattern.exec(text ?? '')?.[1] ?? '0').replaceAll(',', ''))
  const number = numberIn(await node.textContent(), /and ([\d,]+) more/)
  await node.focus()
  await page.keyboard.press('Enter')
  const entry = page.locator(`[id="${(await node.getAttribute('href'))!.slice(1)}"]`)
  await entry.waitFor({ state: 'visible' })
  const named = await entry.locator('.addresses > li').count()
  expect(named).toBeGreaterThan(0)
  expect(named + numberIn(await entry.textContent(), /([\d,]+) further address/)).toBe(number)
  await page.context().close()
})

test('an amount has six digits at a glance, all of them under the pointer, and dollars if it is priced', async () => {
  shown = { ...sampleReports()['orange']!, report_id: report.report_id }
  const page = await open(PATH)
  const amount = page.locator('tr .amount[title="12,345.678901 ETH"]').first()
  expect(await amount.locator('[aria-hidden]').textContent()).toBe('12,345.6 ETH')
  expect(await amount.locator('xpath=ancestor::tr').textContent()).toContain('$37,037,036.70')
  await page.context().close()
})

test('no text of the picture is cut off, however long a name is', async () => {
  const names = ['Demo exchange (made up)', 'The Western Mixing Market of Umber', '混币服务市场北京分部一号']
  for (const name of names) {
    const long = JSON.stringify(report).replaceAll(/Kraken|Tornado Cash|Garantex/g, name)
    shown = JSON.parse(long.replaceAll(/"value_usd":"[^"]*"/g, '"value_usd":null'))
    for (const [look, drawing] of [
      [{}, '.flow-wide'],
      [phone, '.flow-narrow'],
    ] as const) {
      const page = await open(PATH, look)
      const texts = page.locator(`${drawing} svg text`)
      expect(await texts.count()).toBeGreaterThan(20)
      const cut = await texts.evaluateAll((all) =>
        all.flatMap((text) => {
          const { x, width } = (text as SVGTextElement).getBBox()
          const room = Number(text.closest('svg')!.getAttribute('width'))
          return x + width > room ? [[text.textContent, x + width, room]] : []
        }),
      )
      expect(cut).toEqual([])
      await page.context().close()
    }
  }
})

test('on a phone the text of the picture is large enough to read', async () => {
  const page = await open(PATH, phone)
  expect(await page.locator('.flow-wide').isVisible()).toBe(false)
  const sizes = await page.locator('.flow-narrow text').evaluateAll((texts) =>
    texts.map((text) => {
      const picture = text.closest<SVGSVGElement>('.flow-narrow')!
      return Number.parseFloat(text.getAttribute('font-size')!) * picture.getScreenCTM()!.a
    }),
  )
  expect(sizes.length).toBeGreaterThan(20)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11)
  await page.context().close()
})

test('one hop further shows the newest report of a party, and only of a party', async () => {
  others = [{ ...flowReport(), report_id: '00000000000000aa', address: mixer }]
  const page = await open(`${PATH}?expand=${mixer}`)
  const expanded = page.locator('#expanded')
  expect(await expanded.locator('.flow-wide a').count()).toBe(10)
  expect(await expanded.getByRole('link', { name: 'Its newest report' }).getAttribute('href')).toBe(
    '/reports/00000000000000aa',
  )
  const asked = api.calls.map(({ path }) => new URL(path, 'http://api.invalid').searchParams)
  expect(asked.some((query) => query.get('address') === mixer && query.get('chain') === 'ETH')).toBe(true)
  await page.goto(`${front.url}${PATH}?expand=${'0x' + 'ab'.repeat(20)}`)
  expect(await page.locator('#expanded').count()).toBe(0)
  await page.context().close()
})

test('a party that was never screened is said to be so, with a link that screens it', async () => {
  const page = await open(`${PATH}?expand=${mixer}`)
  expect(await page.locator('#expanded').textContent()).toContain('was not screened yet')
  expect(await page.locator('#expanded').getByRole('link', { name: 'Screen it' }).getAttribute('href')).toBe(
    `/screen?address=${mixer}&chain=ETH`,
  )
  await page.context().close()
})

test('a report that is read over a link offers nothing that its reader cannot do', async () => {
  const before = api.answer
  api.answer = json(200, report)
  const text = await (await fetch(`${front.url}/shared/${'a'.repeat(64)}`)).text()
  api.answer = before
  expect(text).toContain('Explorer')
  expect(text).not.toMatch(/One hop further|Screen it/)
})
