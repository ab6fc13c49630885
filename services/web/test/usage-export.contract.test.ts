/** The use of keys of a range as a file: all pages of the API, with both days, and never cut without saying so. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_ROWS } from '@cupel/audit/pages'
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

const day = (on: string) => ({ day: on, key_id: 'k1', calls: 12, screens: 9, problems: 1, rate_limited: 0 })
const get = (query: string) =>
  fetch(`${front.url}/usage/days.csv?${query}`, { headers: { cookie: cookieOf(aSession()) } })

test('has every page of the range, both days included', async () => {
  api.calls.length = 0
  api.answer = (call, response) =>
    (call.path.includes('page_token=')
      ? json(200, { items: [day('2026-11-20')], next_page_token: null })
      : json(200, { items: [day('2026-11-21')], next_page_token: 'two' }))(call, response)
  const answer = await get('from=2026-11-01&to=2026-11-30')
  expect(answer.headers.get('content-disposition')).toBe(
    'attachment; filename="cupel-usage-2026-11-01-2026-11-30.csv"',
  )
  expect(await answer.text()).toBe(
    'day,key_id,calls,screens,problems,rate_limited\r\n2026-11-21,k1,12,9,1,0\r\n2026-11-20,k1,12,9,1,0\r\n',
  )
  const asked = api.calls.filter(({ path }) => path.startsWith('/v1/usage/days'))
  expect(asked).toHaveLength(2)
  for (const { path } of asked) expect(path).toMatch(/from=2026-11-01&to=2026-12-01/)
})

test('a file that reaches its limit says what is missing, also of its last day', async () => {
  api.answer = json(200, {
    items: Array.from({ length: 200 }, () => day('2026-11-21')),
    next_page_token: 'more',
  })
  const lines = (await (await get('')).text()).trimEnd().split('\r\n')
  expect(lines).toHaveLength(MAX_ROWS + 2)
  expect(lines.at(-1)).toBe(
    'The file ends here: what follows k1 on 2026-11-21 and all earlier days are missing.',
  )
})

test('a wrong range is answered with a page', async () => {
  const errors = [{ pointer: '/from', detail: 'There is no such time' }]
  api.answer = json(400, { code: 'invalid_request', detail: 'wrong', errors })
  const answer = await get('from=2026-02-30')
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('There is no such time')
})
