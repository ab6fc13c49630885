import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import type { RunningApi } from '../src/start-api.js'

let installation: Installation
let api: RunningApi
let key: string
let accountId: string
let path: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key, accountId } = await installation.key())
  const reply = await screen(api.url, key)
  path = `/v1/reports/${String(reply.json()['report_id'])}/pdf`
})
afterAll(() => installation.stop())

/** Documents that were never rendered. */
const newPaths = (count: number, of = key): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const reply = await screen(api.url, of)
      return `/v1/reports/${String(reply.json()['report_id'])}/pdf`
    }),
  )

test('a report is a PDF with a name and a strong tag, and the same bytes each time', async () => {
  const first = await call(api.url, 'GET', path, { key })
  expect(first.status, first.text).toBe(200)
  expect(first.text).toMatch(/^%PDF-1\.7/)
  expect(first.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': expect.stringMatching(
      /^attachment; filename="cupel-report-[0-9a-f]{16}\.pdf"$/,
    ) as string,
    etag: expect.stringMatching(/^"[0-9a-f]{32}-\d+"$/) as string,
  })
  const other = await installation.api({ config: { CUPEL_INSTANCE: 5 } })
  const second = await call(other.url, 'GET', path, { key })
  expect(second.headers['etag']).toBe(first.headers['etag'])
  expect(second.text).toBe(first.text)
})

test('a caller that has the document gets 304 and no body', async () => {
  const { headers } = await call(api.url, 'GET', path, { key })
  const etag = headers['etag']!
  for (const named of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const reply = await call(api.url, 'GET', path, { key, headers: { 'if-none-match': named } })
    expect([reply.status, reply.text, reply.headers['etag']]).toEqual([304, '', etag])
  }
  expect((await call(api.url, 'GET', path, { key, headers: { 'if-none-match': '"other"' } })).status).toBe(
    200,
  )
})

test('HEAD has the headers of GET and no body', async () => {
  const got = await call(api.url, 'GET', path, { key })
  const head = await call(api.url, 'HEAD', path, { key })
  expect([head.status, head.text]).toEqual([200, ''])
  for (const name of ['etag', 'content-type', 'content-length', 'content-disposition'])
    expect(head.headers[name]).toBe(got.headers[name])
})

test('the report of another account, or of nobody, is 404', async () => {
  const stranger = (await installation.key()).key
  expect((await call(api.url, 'GET', path, { key: stranger })).json()['code']).toBe('not_found')
  const nobodys = await call(api.url, 'GET', '/v1/reports/0000000000000000/pdf', { key })
  expect(nobodys.json()['code']).toBe('not_found')
})

test('a key that asks for many at once is refused with 429 and Retry-After, the others are whole, and other keys are served', async () => {
  const { key: other } = await installation.key({ accountId })
  const [paths, [besides]] = await Promise.all([newPaths(30), newPaths(1)])
  const asked = paths.map((one) => call(api.url, 'GET', one, { key }))
  const beside = await call(api.url, 'GET', besides!, { key: other })
  expect(beside.text).toMatch(/^%PDF/)
  const replies = await Promise.all(asked)
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const reply of refused) {
    expect(reply.json()['code']).toBe('rate_limited')
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  }
  const served = replies.filter(({ status }) => status === 200)
  expect(served.length + refused.length).toBe(30)
  for (const reply of served) expect(reply.text).toMatch(/%%EOF\s*$/)
  const again = await Promise.all(Array.from({ length: 30 }, () => call(api.url, 'GET', path, { key })))
  expect(new Set(again.map(({ status }) => status)), 'what was rendered once waits for nobody').toEqual(
    new Set([200]),
  )
})

test('beyond the limit of an instance the answer is 503 with Retry-After', async () => {
  // The documents of one account wait for each other, so only many accounts fill the thread.
  const keys = await Promise.all(Array.from({ length: 40 }, () => installation.key()))
  // On a slow machine the thread may finish as fast as calls come.
  const { replies, refused } = await until(async () => {
    const paths = (await Promise.all(keys.map((one) => newPaths(1, one.key)))).flat()
    const replies = await Promise.all(
      keys.map((one, index) => call(api.url, 'GET', paths[index]!, { key: one.key })),
    )
    const refused = replies.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    return { replies, refused }
  })
  for (const reply of refused) {
    expect(reply.json()['code']).toBe('unavailable')
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(replies.filter(({ status }) => status === 200).length + refused.length).toBe(40)
})

test('with the case as an appendix it is another document, which changes with the case; the plain one keeps its bytes', async () => {
  const get = (query = '') => call(api.url, 'GET', path + query, { key })
  const plain = await get()
  const empty = await get('?appendix=case')
  expect(empty.status).toBe(200)
  expect(empty.headers['content-disposition']).toContain('-with-case.pdf"')
  const note = { key, body: { text: 'Asked the customer.\nNo answer yet.' } }
  expect((await call(api.url, 'POST', path.replace('/pdf', '/notes'), note)).status).toBe(201)
  const noted = await get('?appendix=case')
  expect(new Set([plain, empty, noted].map(({ headers }) => headers['etag'])).size).toBe(3)
  const again = await call(api.url, 'GET', `${path}?appendix=case`, {
    key,
    headers: { 'if-none-match': noted.headers['etag']! },
  })
  expect(again.status).toBe(304)
  expect(noted.text).toContain('Asked the customer.')
  expect((await get('?appendix=case')).text).toBe(noted.text)
  expect((await get()).text).toBe(plain.text)
  expect((await get('?appendix=other')).json()['code']).toBe('invalid_request')
  const stranger = (await installation.key()).key
  expect((await call(api.url, 'GET', `${path}?appendix=case`, { key: stranger })).status).toBe(404)
})
