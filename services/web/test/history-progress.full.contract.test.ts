/** The page of a report that waits for a history says how far that is, follows it in the browser, and shows the report that comes after it. */
import { fileURLToPath } from 'node:url'
import { sampleReport } from '@cupel/testkit'
import { build } from 'esbuild'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'
import type { Session } from '@cupel/console'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const sample = sampleReport()
const history = {
  status: 'reading',
  reason: null,
  provider: 'explorer',
  pages: 0,
  pages_expected: null,
  waiting: 0,
}
const report = { ...sample, customer_reference: 'case 7', coverage: { ...sample.coverage, history } }
const later = {
  ...{ ...sample, report_id: '00000000000000a1', customer_reference: 'case 7' },
  generated_at: new Date(Date.parse(sample.generated_at) + 60_000).toISOString(),
}
const path = `/v1/reports/${report.report_id}`
const reading = { ...history, pages: 3, pages_expected: 5 }

const judged = {
  ...{ recommendation: 'review', reasons: [], direction: 'incoming', own_address: sample.address },
  ...{ transaction_hash: null, planned: true, amount: '1', amount_base_units: '1', value_usd: null },
  asset: { symbol: 'ETH', contract: null, is_known: true },
  ...{ priced_on: null, funds: null, ledger: { status: 'planned', snapshot: null } },
}

let api: FakeApi
let browser: Browser
let script: string
let front: Awaited<ReturnType<typeof startFront>>
let answers: Record<string, unknown> = {}
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
  browser = await chromium.launch({ executablePath: CHROMIUM })
  const source = fileURLToPath(
    new URL('../../../packages/console/src/client/follow-history.ts', import.meta.url),
  )
  const contents = `import { followHistory } from ${JSON.stringify(source)}\nfollowHistory()`
  const { outputFiles } = await build({
    ...{ stdin: { contents, resolveDir: '/' }, bundle: true, write: false, format: 'iife' },
  })
  script = outputFiles[0]!.text
  api.answer = (call, response) => {
    const answer = answers[new URL(call.path, 'http://api.invalid').pathname]
    json(answer === undefined ? 404 : 200, answer ?? { code: 'not_found' })(call, response)
  }
})
afterAll(async () => {
  await browser.close()
  await front.close()
  await api.close()
})
beforeEach(() => {
  answers = {
    '/v1/reports': { items: [], next_page_token: null },
    ...{ [path]: report, [`${path}/history`]: reading },
    ...{ '/v1/screen': later, [`/v1/reports/${later.report_id}`]: later },
  }
})

async function open(query = '', session: Partial<Session> = {}) {
  const context = await browser.newContext({
    ...{ viewport: { width: 390, height: 800 }, bypassCSP: true },
  })
  // Unlike a header, a cookie is sent after a redirect too.
  const [name = '', value = ''] = cookieOf(aSession(session)).split(/=(.*)/s)
  await context.addCookies([{ name, value, url: front.url }])
  const page = await context.newPage()
  await page.goto(`${front.url}/reports/${report.report_id}${query}`)
  await page.addScriptTag({ content: script })
  return page
}

const screens = () => api.calls.filter(({ path: of }) => of === '/v1/screen')
const isRead = (): void => void (answers[`${path}/history`] = { ...reading, status: 'read' })
const listed = (...items: readonly object[]): void =>
  void (answers['/v1/reports'] = { items, next_page_token: null })

test('counts pages live, and shows the new report once the history is read: one screen of the same question', async () => {
  const page = await open()
  await page.getByText('The history of the address is being read: 3 of 5 pages.').first().waitFor()
  answers[`${path}/history`] = { ...reading, pages: 4 }
  await page.getByText('being read: 4 of 5 pages.').first().waitFor()
  api.calls.length = 0
  isRead()
  await page.waitForURL(`**/reports/${later.report_id}?round=1`)
  const [screen, ...more] = screens()
  expect(more).toEqual([])
  expect(JSON.parse(screen!.body)).toEqual({
    ...{ address: report.address, chain: report.chain, customer_reference: 'case 7' },
  })
  expect(screen!.headers).toMatchObject({
    ...{ 'idempotency-key': `console-newer-${report.report_id}`, prefer: 'wait=10' },
  })
})

test('an address without a chain is screened on all its chains again', async () => {
  answers[path] = { ...report, candidate_chains: ['ETH', 'BSC'] }
  const page = await open()
  api.calls.length = 0
  isRead()
  await page.waitForURL(`**/reports/${later.report_id}?round=1`)
  expect(JSON.parse(screens()[0]!.body)).toEqual({ address: report.address, customer_reference: 'case 7' })
})

test('a report that somebody made meanwhile is shown, and no further one is made', async () => {
  const page = await open()
  api.calls.length = 0
  listed({ ...later, report_id: '00000000000000a2', customer_reference: null }, later, report)
  isRead()
  await page.waitForURL(`**/reports/${later.report_id}`)
  expect(screens()).toEqual([])
})

test('who only reads gets links, and makes no report', async () => {
  const page = await open('', { scope: 'read-only' })
  await page.getByText('3 of 5 pages').first().waitFor()
  api.calls.length = 0
  listed(later, report)
  isRead()
  const box = page.locator('.notice-done[data-follow-history]')
  const link = box.getByRole('link', { name: 'Open the newer report' })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe(`/reports/${later.report_id}`)
  expect(await box.getByRole('link', { name: 'Reports of this address' }).isVisible()).toBe(true)
  expect(await box.getByRole('button').count()).toBe(0)
  expect(screens()).toEqual([])
})

test('after three reports in a row the next one is made on request only', async () => {
  const page = await open('?round=3')
  await page.getByText('3 of 5 pages').first().waitFor()
  api.calls.length = 0
  isRead()
  const button = page.getByRole('button', { name: 'Show the new report' })
  await button.waitFor()
  expect(screens()).toEqual([])
  await button.click()
  await page.waitForURL(`**/reports/${later.report_id}?round=4`)
})

test('a history that was read before the page was opened makes no report by itself', async () => {
  isRead()
  api.calls.length = 0
  const page = await open()
  await page.getByText('The history is read.').waitFor()
  expect(screens()).toEqual([])
  await page.getByRole('button', { name: 'Show the new report' }).click()
  await page.waitForURL(`**/reports/${later.report_id}?round=1`)
})

test('a screen that is refused is a page that says so, and is not tried again', async () => {
  delete answers['/v1/screen']
  const page = await open()
  await page.getByText('3 of 5 pages').first().waitFor()
  api.calls.length = 0
  isRead()
  await page.waitForURL(`**/reports/${report.report_id}/newer`)
  expect(screens()).toHaveLength(1)
  expect(await page.locator('[data-follow-history]').count()).toBe(0)
})

test('the report of a transfer is followed by no other: its terms are stated again', async () => {
  answers[path] = { ...report, transfer: judged }
  const page = await open()
  await page.getByText('3 of 5 pages').first().waitFor()
  api.calls.length = 0
  isRead()
  const box = page.locator('.notice-done[data-follow-history]')
  await box.waitFor()
  expect(await box.getByRole('link', { name: 'Screen again' }).getAttribute('href')).toBe('/transfers')
  expect(screens()).toEqual([])
})

test('a reading whose process has died is a fault, and no page waits for it', async () => {
  const page = await open()
  await page.getByText('3 of 5 pages').first().waitFor()
  answers[`${path}/history`] = { ...reading, status: 'stopped' }
  const notice = page.locator('.notice-fault[data-follow-history]')
  await notice.waitFor()
  expect(await notice.innerText()).toContain('The reading has stopped.')
  expect(await notice.getByRole('link', { name: 'Screen again' }).isVisible()).toBe(true)
})

test('an API that cannot tell it is a fault after some answers', async () => {
  const page = await open()
  await page.getByText('3 of 5 pages').first().waitFor()
  delete answers[`${path}/history`]
  await page.getByText('cannot be told any more').waitFor()
})

test('a report that waits for nothing has no such notice', async () => {
  answers[path] = sample
  const page = await open()
  expect(await page.locator('[data-follow-history]').count()).toBe(0)
  expect(await page.getByText('Screen again', { exact: true }).count()).toBe(0)
})
