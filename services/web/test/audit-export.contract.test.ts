/** The calls of a range as a file: all pages of the API, safe for spreadsheets, and never cut without saying so. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_CALLS } from '@cupel/audit/pages'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi, type Front } from './fake-api.js'

let api: FakeApi
let front: Front
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
})
afterAll(async () => {
  await front.close()
  await api.close()
})

const entry = (id: string) => ({
  ...{ at: '2026-11-21T09:00:00.000Z', request_id: id, key_id: 'k', scope: 'read-write', actor: '=Ann, "A"' },
  ...{ client_address: '203.0.113.9', method: 'POST', route: '/v1/screen', status: 200, code: null },
  ...{ subject_ids: ['r1', 'r2'], latency_ms: 4.25, livemode: true },
})
const get = (path: string) => fetch(front.url + path, { headers: { cookie: cookieOf(aSession()) } })
const tokenOf = (path: string) => new URL(path, 'http://x').searchParams.get('page_token')

test('has every page of the range, with the filter on each', async () => {
  api.calls.length = 0
  api.answer = (call, response) =>
    tokenOf(call.path) === null
      ? json(200, { items: [entry('a')], next_page_token: 'two' })(call, response)
      : json(200, { items: [entry('b')], next_page_token: null })(call, response)
  const answer = await get('/audit/calls.csv?from=2026-11-01&to=2026-11-30&outcome=problem')
  expect(answer.headers.get('content-disposition')).toBe(
    'attachment; filename="cupel-calls-2026-11-01-2026-11-30.csv"',
  )
  const lines = (await answer.text()).split('\r\n')
  expect(lines[0]).toMatch(/^at,request_id,.*,subject_ids$/)
  expect(lines[1]).toContain(`"'=Ann, ""A"""`)
  expect(lines.map((line) => line.split(',')[1])).toEqual(['request_id', 'a', 'b', undefined])
  const asked = api.calls.filter(({ path }) => path.startsWith('/v1/audit-log'))
  for (const { path } of asked) expect(path).toMatch(/from=2026-11-01&to=2026-12-01/)
  const ndjson = await (await get('/audit/calls.ndjson')).text()
  expect(
    ndjson
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { request_id: string }).request_id),
  ).toEqual(['a', 'b'])
})

test('a file that reaches its limit says what is missing', async () => {
  const items = Array.from({ length: 200 }, (_, index) => entry(String(index)))
  api.answer = json(200, { items, next_page_token: 'more' })
  const lines = (await (await get('/audit/calls.ndjson')).text()).trimEnd().split('\n')
  expect(lines).toHaveLength(MAX_CALLS + 1)
  expect(JSON.parse(lines.at(-1)!)).toEqual({ is_cut: true, missing_before: '2026-11-21T09:00:00.000Z' })
})

test('a page that fails breaks the download, and a wrong filter is answered with a page', async () => {
  api.answer = (call, response) =>
    tokenOf(call.path) === null
      ? json(200, { items: [entry('a')], next_page_token: 'two' })(call, response)
      : json(503, { code: 'unavailable', detail: 'Not now.' })(call, response)
  await expect(get('/audit/calls.csv').then((answer) => answer.text())).rejects.toThrow()
  api.answer = json(400, { code: 'invalid_request', detail: 'No such day.', errors: [] })
  const answer = await get('/audit/calls.csv?from=never')
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([400, null])
})

test('a file goes on when the rate limit allows it again', async () => {
  let refused = false
  api.answer = (call, response) => {
    if (tokenOf(call.path) === null)
      return json(200, { items: [entry('a')], next_page_token: 'two' })(call, response)
    if (refused) return json(200, { items: [entry('b')], next_page_token: null })(call, response)
    refused = true
    response.setHeader('retry-after', '0')
    return json(429, { code: 'rate_limited', detail: 'Slower.' })(call, response)
  }
  expect((await (await get('/audit/calls.ndjson')).text()).trimEnd().split('\n')).toHaveLength(2)
})
