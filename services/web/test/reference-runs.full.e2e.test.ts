/** The reference page in a browser: a reader runs operations against the sandbox from it. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { openDesk, type Look } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

const RED = '0xc0be100000000000000000000000000000000004'

async function sandboxKey(): Promise<string> {
  const { operator } = desk.ready.keys
  const { items } = await desk.api<{ items: { account_id: string }[] }>(
    'GET',
    '/v1/accounts',
    undefined,
    operator,
  )
  const ordered = { account_id: items[0]!.account_id, livemode: false, scope: 'read-write', name: 'reader' }
  return (await desk.api<{ key: string }>('POST', '/v1/keys', ordered, operator)).key
}

interface Seen {
  readonly page: Page
  /** The requests after the page itself. */
  readonly requests: { readonly url: string; readonly key: string | undefined }[]
  readonly faults: string[]
}

async function openReference(look: Look = {}): Promise<Seen> {
  const page = await desk.newPage({ ...look, mayVisit: desk.ready.base_url })
  const requests: Seen['requests'] = []
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    const isByDesign = /the server responded with a status of/.test(message.text())
    if (message.type() === 'error' && !isByDesign) faults.push(message.text())
  })
  // A smooth way through a page of this length takes a minute.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${desk.ready.base_url}/docs`)
  page.on('request', (request) => {
    requests.push({ url: request.url(), key: request.headers()['authorization'] })
  })
  return { page, requests, faults }
}

/** The run of an operation, opened with the keyboard. */
async function openRun(page: Page, operation: string) {
  const run = page.locator(`section:has(> #${operation}) [data-run]`)
  await run.locator('summary').focus()
  await page.keyboard.press('Enter')
  await run.locator('form').waitFor()
  return run
}

/** Only the operations that a test opened: the page is long, and each of its sections is alike. */
async function checkRuns(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('[data-run]:has(form)').analyze()
  expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([])
}

desk.test('a run by keyboard shows status, headers and body', async () => {
  const key = await sandboxKey()
  const { page, requests, faults } = await openReference()
  const run = await openRun(page, 'createScreen')
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(key)
  await run.getByLabel('Body, application/json').focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(JSON.stringify({ address: RED }))
  await run.getByRole('button', { name: 'Send' }).focus()
  await page.keyboard.press('Enter')
  await run.getByText('POST /v1/screen: 200').waitFor()
  expect(await run.getByRole('status').textContent()).toContain('200')
  const [headers, body] = await run.locator('pre').allTextContents()
  expect(headers).toContain('Content-Type: application/json')
  expect(headers).toMatch(/^Request-Id: /m)
  expect(body).toContain('"livemode": false')
  expect(body).toContain('"level": "red"')
  await checkRuns(page)
  await desk.screenshot(page, 'reference-run')

  // The next operation knows the key, and an answer that refuses is shown as it is.
  const read = await openRun(page, 'getReport')
  expect(await read.getByLabel('Sandbox key').inputValue()).toBe(key)
  await read.getByLabel('report_id (path)').fill('0000000000000000')
  await page.keyboard.press('Enter')
  await read.getByText('GET /v1/reports/0000000000000000: 404').waitFor()
  expect(await read.locator('pre').last().textContent()).toContain('"code": "not_found"')

  expect(requests.map(({ url }) => new URL(url).origin)).toEqual([desk.ready.base_url, desk.ready.base_url])
  expect(faults).toEqual([])
  const kept = await page.evaluate(
    '[Object.keys(localStorage).length, Object.keys(sessionStorage).length, document.cookie].join()',
  )
  expect(kept).toBe('0,0,')
  await page.reload()
  const again = await openRun(page, 'getReport')
  expect(await again.getByLabel('Sandbox key').inputValue()).toBe('')
})

desk.test('a live key is refused before anything is sent, and forgotten', async () => {
  const { page, requests } = await openReference()
  const run = await openRun(page, 'getUsage')
  await run.getByLabel('Sandbox key').fill(desk.ready.keys.read_write)
  await page.keyboard.press('Enter')
  await run.getByText('Nothing was sent. There is a live key in the form').waitFor()
  expect(await run.getByLabel('Sandbox key').inputValue()).toBe('')
  const other = await openRun(page, 'listReports')
  expect(await other.getByLabel('Sandbox key').inputValue()).toBe('')
  expect(requests).toEqual([])
})

desk.test('a value that leads to another operation is refused before anything is sent', async () => {
  const { page, requests } = await openReference()
  const run = await openRun(page, 'removeWatch')
  await run.getByLabel('Sandbox key').fill(`cpl_test_${'a'.repeat(57)}`)
  await run.getByLabel('watch_id (path)').fill('../keys/8f2k1m0a')
  await page.keyboard.press('Enter')
  await run.getByText('Nothing was sent. A value of the path leads to another operation.').waitFor()
  expect(requests).toEqual([])
})

desk.test(
  'an answer that breaks off is an error, and says that the call may have been carried out',
  async () => {
    const { page } = await openReference()
    const run = await openRun(page, 'createScreen')
    await run.getByLabel('Sandbox key').fill(`cpl_test_${'a'.repeat(57)}`)
    await page.context().setOffline(true)
    await run.getByRole('button', { name: 'Send' }).click()
    await run.getByText('The answer did not arrive whole').waitFor()
    expect(await run.getByRole('status').textContent()).toContain('carried the call out is not known')
    expect(await run.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
  },
)

desk.test('it works on a dark phone, and a file is saved', async () => {
  const key = await sandboxKey()
  const { page, faults } = await openReference({ colorScheme: 'dark', width: 390 })
  const run = await openRun(page, 'getReportPdf')
  const { report_id: id } = await desk.api<{ report_id: string }>('POST', '/v1/screen', { address: RED }, key)
  await run.getByLabel('Sandbox key').fill(key)
  await run.getByLabel('report_id (path)').fill(id)
  await page.keyboard.press('Enter')
  const link = run.getByRole('link', { name: /^Save the file of \d+ bytes$/ })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  const stream = await download.createReadStream()
  const first = await new Promise<Buffer>((resolve, reject) => {
    stream.once('data', (bytes: Buffer) => resolve(bytes)).once('error', reject)
  })
  expect(first.subarray(0, 5).toString()).toBe('%PDF-')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await checkRuns(page)
  expect(faults).toEqual([])
})

desk.test('without a script the page offers no run', async () => {
  const { page } = await openReference({ javaScriptEnabled: false })
  expect(await page.getByText('Run against the sandbox').count()).toBe(0)
  expect(await page.locator('h3').count()).toBeGreaterThan(50)
})
