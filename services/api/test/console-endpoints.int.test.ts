/** Endpoints of the console: lists, policy, use of keys, and searches in reports and in the audit log. */
import { defaultPolicy } from '@cupel/domain'
import { runReadModel, type RunningReadModel } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let audit: RunningReadModel
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  audit = runReadModel({ ...installation.deps, readModel: auditView })
})
afterAll(async () => {
  await audit.stop()
  await installation.stop()
})

const items = (reply: Reply) => reply.json()['items'] as Record<string, unknown>[]
const get = (key: string, path: string) => call(api.url, 'GET', path, { key })

describe('the search in reports', () => {
  test('finds a reference exactly, whatever characters it has', async () => {
    const { key } = await installation.key()
    for (const reference of ['case-7', 'case-70', 'a "quoted" \\ one, 你好'])
      await screen(api.url, key, { address: ADDRESS, customer_reference: reference })
    const search = (reference: string) =>
      get(key, `/v1/reports?customer_reference=${encodeURIComponent(reference)}`)
    // Reports of different partitions arrive in any order.
    for (const reference of ['case-70', 'case-7', 'a "quoted" \\ one, 你好'])
      await until(async () =>
        expect(items(await search(reference))).toMatchObject([{ customer_reference: reference }]),
      )
    expect(items(await search('case'))).toEqual([])
  })

  test('is narrowed to a range of time; a date is its first moment', async () => {
    const { key } = await installation.key()
    const made = (await screen(api.url, key)).json()
    await until(async () => expect(items(await get(key, '/v1/reports'))).toHaveLength(1))
    const at = String(made['generated_at'])
    expect(items(await get(key, `/v1/reports?from=${at}`))).toHaveLength(1)
    expect(items(await get(key, `/v1/reports?to=${at}`))).toEqual([])
    expect(items(await get(key, `/v1/reports?from=${at.slice(0, 10)}`))).toHaveLength(1)
    expect(items(await get(key, `/v1/reports?to=${at.slice(0, 10)}`))).toEqual([])
  })

  test.each(['?from=yesterday', '?from=2026-02-30', '?to=2026-13-01', '?to=2026-11-21T25:00:00Z', '?from='])(
    '%s is refused',
    async (query) => {
      const { key } = await installation.key()
      expect((await get(key, `/v1/reports${query}`)).json()).toMatchObject({ status: 400 })
      expect((await get(key, `/v1/audit-log${query}`)).json()).toMatchObject({ status: 400 })
    },
  )
})

describe('the search in the audit log', () => {
  test('finds who read a report, what was refused, and calls of one endpoint or client', async () => {
    const { key, accountId } = await installation.key()
    const reader = await installation.key({ accountId, scope: 'read-only' })
    const reportId = String((await screen(api.url, key)).json()['report_id'])
    await get(reader.key, `/v1/reports/${reportId}`)
    await screen(api.url, reader.key)
    const search = async (query: string) =>
      items(await get(key, `/v1/audit-log${query}`)).map((entry) => [
        entry['method'],
        entry['route'],
        entry['status'],
      ])
    const [made, read, refused] = [
      ['POST', '/v1/screen', 200],
      ['GET', '/v1/reports/{report_id}', 200],
      ['POST', '/v1/screen', 403],
    ]
    await until(async () => expect(await search(`?subject_id=${reportId}`)).toEqual([read, made]))
    await until(async () => expect(await search('?outcome=problem')).toEqual([refused]))
    expect(await search('?route=/v1/screen')).toEqual([refused, made])
    expect(await search('?client_address=203.0.113.9')).toEqual([])
    expect(await search('?to=2020-01-01')).toEqual([])
    expect(await search(`?key_id=${reader.keyId}&subject_id=${reportId}`)).toEqual([read])
  })

  test('goes from page to page under a filter, and a token fits only its filter', async () => {
    const { key } = await installation.key()
    for (let made = 0; made < 3; made += 1) await screen(api.url, key)
    const path = '/v1/audit-log?route=/v1/screen&page_size=2'
    await until(async () => expect(items(await get(key, '/v1/audit-log?route=/v1/screen'))).toHaveLength(3))
    const first = await get(key, path)
    const token = String(first.json()['next_page_token'])
    const second = await get(key, `${path}&page_token=${token}`)
    expect([...items(first), ...items(second)]).toHaveLength(3)
    expect(second.json()['next_page_token']).toBeNull()
    const elsewhere = await get(key, `/v1/audit-log?route=/v1/bulk&page_token=${token}`)
    expect(elsewhere.json()).toMatchObject({ status: 400 })
  })
})

test('the use of keys is counted by key and by day, only for the own environment', async () => {
  const { key, keyId, accountId } = await installation.key({ name: 'Screening' })
  const reader = await installation.key({ accountId, scope: 'read-only', plan: 'pro' })
  const sandbox = await installation.key({ accountId, environment: 'test' })
  await screen(api.url, key)
  await screen(api.url, key)
  await screen(api.url, reader.key)
  await screen(api.url, sandbox.key)
  const usage = async () => (await get(key, '/v1/usage')).json()
  await until(async () =>
    expect(await usage()).toMatchObject({ month: { screens: 2, problems: 1, rate_limited: 0 } }),
  )
  const said = await usage()
  expect(said).toMatchObject({ counted_from: null, today: { screens: 2 }, days: [{ screens: 2 }] })
  expect(said['keys']).toMatchObject([
    {
      key_id: keyId,
      name: 'Screening',
      status: 'active',
      plan: { name: 'enterprise', on_empty: 'fair-use' },
    },
    { key_id: reader.keyId, plan: { calls_per_second: 10, burst: 50 }, today: { calls: 1, problems: 1 } },
  ])
})

test('the policy is the one in force, and the sandbox has its own that never changes', async () => {
  const { key, accountId } = await installation.key()
  const sandbox = await installation.key({ accountId, environment: 'test' })
  const live = (await get(key, '/v1/policy')).json()
  expect(live).toMatchObject({ id: 'default', document: defaultPolicy })
  expect(live['activated_at']).toMatch(/^\d{4}-/)
  expect((await get(sandbox.key, '/v1/policy')).json()).toEqual({ ...live, activated_at: null })
})

describe('trying a policy', () => {
  const tryOut = (key: string, policy: unknown) =>
    call(api.url, 'POST', '/v1/policy/what-if', { key, body: { policy } })

  test.each<[string, object, string]>([
    ['a level out of bounds', { levels: { orange: 25, red: 101 } }, '/policy/levels/red'],
    ['levels that overlap', { levels: { orange: 70, red: 70 } }, '/policy/levels'],
    ['an unknown setting', { hops: 3 }, '/policy/hops'],
    [
      'a weight that hides a category',
      { weights: { ...defaultPolicy.weights, mixer: 0.2 } },
      '/policy/weights/mixer',
    ],
  ])('names the setting at fault: %s', async (_what, change, pointer) => {
    const { key } = await installation.key()
    const reply = await tryOut(key, { ...defaultPolicy, ...change })
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
  })

  test('counts reports that cannot be decided again, and changes nothing', async () => {
    const { key } = await installation.key()
    // The scorer of these tests records no inputs.
    await screen(api.url, key)
    await until(async () => expect(items(await get(key, '/v1/reports'))).toHaveLength(1))
    const reply = await tryOut(key, { ...defaultPolicy, levels: { orange: 25, red: 75 } })
    expect(reply.json()).toMatchObject({
      ...{ reports: 0, undecidable: 1, levels: [] },
      settings: [{ path: 'levels.red', from: 70, to: 75 }],
    })
    expect((await get(key, '/v1/policy')).json()).toMatchObject({ document: defaultPolicy })
  })

  test('is one at a time: a second one is sent away with the time to wait', async () => {
    const { key } = await installation.key()
    const replies = await Promise.all(Array.from({ length: 12 }, () => tryOut(key, defaultPolicy)))
    const busy = replies.filter(({ status }) => status === 503)
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const reply of busy) expect(reply.headers['retry-after']).toBe('5')
    expect(replies.length - busy.length).toBeGreaterThan(0)
    expect((await tryOut(key, defaultPolicy)).status).toBe(200)
  })
})
