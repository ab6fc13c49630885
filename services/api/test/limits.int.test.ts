/** Tests the limits that callers see, and the answers to clients that cannot authenticate. */
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let other: RunningApi
beforeAll(async () => {
  installation = await startInstallation()
  // The test's own address counts as a proxy, so that each test is a separate client.
  const config = { CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'], CUPEL_AUTH_FAILURES_PER_MINUTE: 20 }
  api = await installation.api({ config })
  other = await installation.api({ config: { ...config, CUPEL_INSTANCE: 1 } })
})
afterAll(() => installation.stop())

const get = (path: string, key?: string, from = '198.51.100.1'): Promise<Reply> =>
  call(api.url, 'GET', path, { ...(key === undefined ? {} : { key }), headers: { 'x-forwarded-for': from } })

test('every answer to a valid key says how the key stands, whatever the answer is', async () => {
  const { key, accountId } = await installation.key({ plan: 'pro' })
  const answers = [
    await screen(api.url, key),
    await get('/v1/chains', key),
    await get('/v1/reports/0123456789abcdef', key),
    await get('/v1/reports?page_size=0', key),
    await screen(api.url, key, { address: 'nonsense' }),
    await call(api.url, 'POST', '/v1/screen', { key, body: '{', headers: { 'content-type': 'text/plain' } }),
    await call(api.url, 'HEAD', '/v1/chains', { key }),
  ]
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 404, 400, 400, 415, 200])
  for (const { headers } of answers) {
    expect(headers['ratelimit-policy']).toBe('"pro";q=50;w=5')
    expect(headers['ratelimit']).toMatch(/^"pro";r=4\d;t=1$/)
  }
  const { key: reader } = await installation.key({ accountId, plan: 'pro', scope: 'read-only' })
  const refused = await screen(api.url, reader)
  expect([refused.status, refused.headers['ratelimit']]).toEqual([403, '"pro";r=50;t=0'])
})

test('without a valid key there is no bucket to tell of', async () => {
  const { key: foreign } = await installation.key({ allowedIps: ['203.0.113.0/24'] })
  for (const answer of [
    await get('/v1/chains'),
    await get('/v1/chains', 'x'),
    await get('/v1/chains', foreign),
  ])
    expect([answer.headers['ratelimit'], answer.headers['ratelimit-policy']]).toEqual([undefined, undefined])
})

test('an empty bucket is 429 with a Retry-After that is true, and the key’s other instance knows', async () => {
  const { key } = await installation.key({ plan: 'pro' })
  const burst = await Promise.all(
    Array.from({ length: 250 }, (_, index) =>
      call((index % 2 === 0 ? api : other).url, 'GET', '/v1/chains', { key }),
    ),
  )
  const refused = burst.filter((answer) => answer.status === 429)
  expect(burst.filter((answer) => answer.status === 200).length).toBeGreaterThanOrEqual(50)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) {
    expect(answer.json()).toMatchObject({ code: 'rate_limited' })
    expect(answer.headers['ratelimit']).toBe('"pro";r=0;t=1')
    expect(answer.headers['retry-after']).toBe('1')
  }
  // Wait exactly as long as the answer said: this is under test.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect((await call(other.url, 'GET', '/v1/chains', { key })).status).toBe(200)
})

test('a 429 screens nothing', async () => {
  const { key, accountId } = await installation.key({ plan: 'pro' })
  const answers = await Promise.all(Array.from({ length: 250 }, () => screen(api.url, key)))
  const answered = answers.filter((answer) => answer.status === 200).length
  expect(answered).toBeLessThan(250)
  const requests = (await installation.requests()).filter((request) => request.accountId === accountId)
  expect(requests).toHaveLength(answered)
})

test('after 20 failed authentications in a minute further failing ones are 429, and valid keys are not affected', async () => {
  const from = '2001:db8:7:7::1'
  const { key } = await installation.key()
  const wrong = [undefined, 'cpl_live_nonsense', (await installation.key({ expiresAt: '2020-01-01' })).key]
  const failures = []
  for (let attempt = 0; attempt < 22; attempt += 1) {
    failures.push(await get('/v1/chains', wrong[attempt % 3], from))
  }
  expect(failures.slice(0, 20).map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 401))
  for (const answer of failures.slice(20)) {
    expect(answer.json()).toMatchObject({ status: 429, code: 'too_many_failures' })
    const seconds = Number(answer.headers['retry-after'])
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThanOrEqual(60)
  }
  // The whole /64 counts as one client; its neighbour is another.
  expect((await get('/v1/chains', 'x', '2001:db8:7:7:ffff::9')).status).toBe(429)
  expect((await get('/v1/chains', 'x', '2001:db8:7:8::1')).status).toBe(401)
  expect((await get('/v1/chains', key, from)).status).toBe(200)
  const reader = await installation.key({ scope: 'read-only' })
  const forbidden = await call(api.url, 'POST', '/v1/screen', {
    key: reader.key,
    headers: { 'x-forwarded-for': from },
    body: { address: ADDRESS },
  })
  expect(forbidden.status).toBe(403)
})

test('failures on several instances add up', async () => {
  const from = '198.51.100.77'
  const fail = async (instance: RunningApi): Promise<number> => {
    const headers = { 'x-forwarded-for': from }
    return (await call(instance.url, 'GET', '/v1/chains', { headers })).status
  }
  for (let attempt = 0; attempt < 10; attempt += 1)
    for (const instance of [api, other]) expect(await fail(instance)).toBe(401)
  const told = async (): Promise<number> =>
    (
      await installation.database.query(`SELECT 1 FROM access.auth_failure WHERE client LIKE $1 || '%'`, [
        from,
      ])
    ).length
  for (const instance of [api, other]) {
    // Each full answer is reported to the other instances, and returns their counts. So few more are needed, and never 20.
    let answeredInFull = 10
    await until(async () => {
      expect(await told()).toBeGreaterThanOrEqual(20)
      const before = await told()
      const status = await fail(instance)
      if (status === 401) {
        answeredInFull += 1
        await until(async () => expect(await told()).toBeGreaterThan(before))
      }
      expect(status).toBe(429)
    })
    expect(answeredInFull).toBeLessThan(20)
  }
})

test('a screen asks the store once, with an Idempotency-Key or without', async () => {
  const asked: string[] = []
  const { database } = installation
  const watched: Database = {
    ...database,
    query(statement, values) {
      asked.push(typeof statement === 'string' ? statement : statement.text)
      return database.query(statement, values)
    },
    execute(statement, values) {
      asked.push(typeof statement === 'string' ? statement : statement.text)
      return database.execute(statement, values)
    },
    transaction(options, work) {
      asked.push(options.at)
      return database.transaction(options, work)
    },
  }
  const instance = await installation.api({ config: { CUPEL_INSTANCE: 3 }, database: watched })
  const { key } = await installation.key()
  // The first screen takes a block of report ids. The first one with an Idempotency-Key also looks up the key, which is remembered.
  const first = { key, headers: { 'idempotency-key': 'comes-first' }, body: { address: ADDRESS } }
  expect((await call(instance.url, 'POST', '/v1/screen', first)).status).toBe(200)
  for (const headers of [{}, { 'idempotency-key': 'asks-once' }]) {
    // Background rounds are not a part of the call.
    const before = asked.length
    const body = { address: ADDRESS }
    expect((await call(instance.url, 'POST', '/v1/screen', { key, headers, body })).status).toBe(200)
    const ofCall = asked.slice(before).filter((text) => !/pending_screen|report_view/.test(text))
    expect(ofCall).toEqual([expect.stringContaining('access.admit_calls')])
  }
})

test('enterprise figures are the operator’s', async () => {
  const small = await installation.api({
    config: {
      CUPEL_INSTANCE: 2,
      CUPEL_ENTERPRISE_CALLS_PER_SECOND: 100,
      CUPEL_ENTERPRISE_BURST: 300,
      CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND: 400,
    },
  })
  const { key } = await installation.key({ plan: 'enterprise' })
  const answer = await call(small.url, 'GET', '/v1/chains', { key })
  expect(answer.headers['ratelimit-policy']).toBe('"enterprise";q=300;w=3')
  expect(answer.headers['ratelimit']).toBe('"enterprise";r=299;t=1')
})
