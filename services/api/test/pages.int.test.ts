/** Tests the pages of reports: links lead to the console if there is one, and nowhere else. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const CONSOLE = 'https://desk.example.com'

let installation: Installation
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  key = (await installation.key()).key
})
afterAll(() => installation.stop())

let instances = 0
const start = async (config: Record<string, string> = {}): Promise<string> =>
  (await installation.api({ config: { ...config, CUPEL_INSTANCE: (instances += 1) } })).url

/** Returns the link that the API passes to the screening; the scorer of these tests answers with its own report. */
async function reportUrl(url: string): Promise<string> {
  const before = (await installation.requests()).map(({ reportId }) => reportId)
  await call(url, 'POST', '/v1/screen', { key, body: { address: ADDRESS } })
  const asked = (await installation.requests()).filter(({ reportId }) => !before.includes(reportId))
  return asked.map((request) => request.reportUrl).join()
}

test('without a console the pages are unknown paths, and report_url stays with the API', async () => {
  const url = await start()
  for (const path of ['/', '/reports/9f2c4a1be07d6358'])
    expect((await call(url, 'GET', path)).json()['code']).toBe('not_found')
  expect(await reportUrl(url)).toMatch(new RegExp(`^${url}/reports/[0-9a-f]{16}$`))
})

test('with a console the pages are there, and report_url names them', async () => {
  const url = await start({ CUPEL_WEB_URL: `${CONSOLE}/` })
  for (const path of ['/', '/reports/9f2c4a1be07d6358']) {
    const reply = await call(url, 'GET', path)
    expect([reply.status, reply.headers.location]).toEqual([303, CONSOLE + path])
  }
  expect(await reportUrl(url)).toMatch(/^https:\/\/desk\.example\.com\/reports\/[0-9a-f]{16}$/)
})

test.each([
  '/reports/',
  '/reports/a/b',
  '/reports/..%2F..',
  '//evil.example',
  '/reports/9f2c?next=//evil.example',
])('%s never leads to another host', async (path) => {
  const url = await start({ CUPEL_WEB_URL: CONSOLE })
  const { location } = (await call(url, 'GET', path)).headers
  if (location !== undefined) expect(new URL(location).origin).toBe(CONSOLE)
})

test('an operator may put the pages elsewhere', async () => {
  const elsewhere = 'https://reports.example.com/r/'
  const url = await start({ CUPEL_WEB_URL: CONSOLE, CUPEL_REPORT_PAGE_URL: elsewhere })
  expect((await reportUrl(url)).startsWith(elsewhere)).toBe(true)
})

test('only a page is led on: a call of another method stays unknown', async () => {
  const url = await start({ CUPEL_WEB_URL: CONSOLE })
  expect((await call(url, 'POST', '/', { body: {} })).status).toBe(404)
})
