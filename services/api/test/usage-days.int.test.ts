/** The use of keys by day: of the own account and environment only, in pages, by the day on which a call was made. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const DAYS = '/v1/usage/days'
let installation: Installation
let api: RunningApi
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
})
afterAll(() => installation.stop())

test('are listed newest first, without those of another account or environment', async () => {
  const { key, accountId } = await installation.key()
  const { key: sandbox } = await installation.key({ accountId, environment: 'test' })
  const { key: stranger } = await installation.key()
  await installation.database.execute(
    `INSERT INTO audit_view.usage_day (account_id, livemode, day, key_id, calls, screens, problems, rate_limited) VALUES
       ($1, true, '2026-10-31', 'a', 1, 0, 0, 0), ($1, true, '2026-11-01', 'b', 2, 1, 0, 0), ($1, true, '2026-11-01', 'a', 3, 0, 1, 1),
       ($1, true, '2026-12-01', 'a', 4, 0, 0, 0), ($1, false, '2026-11-01', 'a', 5, 0, 0, 0), ('acc_other', true, '2026-11-01', 'a', 6, 0, 0, 0)`,
    [accountId],
  )
  const read = async (query: string, as = key) =>
    (await call(api.url, 'GET', `${DAYS}?${query}`, { key: as })).json()
  const november = 'from=2026-11-01&to=2026-12-01'
  expect(await read(november)).toEqual({
    items: [
      { day: '2026-11-01', key_id: 'a', calls: 3, screens: 0, problems: 1, rate_limited: 1 },
      { day: '2026-11-01', key_id: 'b', calls: 2, screens: 1, problems: 0, rate_limited: 0 },
    ],
    next_page_token: null,
  })
  const seen: unknown[] = []
  for (let token = ''; ;) {
    const page = await read(`page_size=1${token}`)
    seen.push(...(page['items'] as { calls: number }[]).map(({ calls }) => calls))
    if (page['next_page_token'] === null) break
    token = `&page_token=${String(page['next_page_token'])}`
  }
  expect(seen).toEqual([4, 3, 2, 1])
  // A day that began before the moment is not of the range.
  expect(await read('from=2026-11-01T00:00:01Z&to=2026-12-01T00:00:01Z')).toMatchObject({
    items: [{ calls: 4 }],
  })
  expect(await read(november, sandbox)).toMatchObject({ items: [{ calls: 5 }] })
  expect(await read(november, stranger)).toMatchObject({ items: [] })
  const token = String((await read(`${november}&page_size=1`))['next_page_token'])
  expect(await read(`page_token=${token}`)).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(await read(`${november}&page_token=${token}`, stranger)).toMatchObject({ status: 400 })
})
