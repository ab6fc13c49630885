/** The API records every call with a key before it sends the answer. The record never holds a secret. */
import {
  topicOf,
  topicSpecs,
  type ApiRequestAudited,
  type DomainEvent,
  type ScreenRequested,
  noMetrics,
  silentLogger,
} from '@cupel/contracts'
import { magicProblems } from '@cupel/domain'
import { type EventLog, LogUnavailableError, scan } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { outboxBacklog, runReadModel, startOutboxRelay } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedKeyOf } from '@cupel/gate/calls'
import type { RunningApi } from '../src/start-api.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let projection: ReturnType<typeof runReadModel>
beforeAll(async () => {
  installation = await startInstallation()
  // The test's own address counts as a proxy, so that X-Forwarded-For names the client.
  api = await installation.api({ config: { CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'] } })
  const { log, codec, database } = installation
  projection = runReadModel({
    readModel: auditView,
    log,
    codec,
    database,
    logger: silentLogger,
    metrics: noMetrics,
  })
})
afterAll(async () => {
  await projection.stop()
  await installation.stop()
})

/** Returns every event of the audit topics, in the order of each partition. */
async function trail(): Promise<DomainEvent[]> {
  const { log, codec } = installation
  const events: DomainEvent[] = []
  for (const livemode of [true, false]) {
    const topic = topicOf('ApiRequestAudited', livemode)
    for await (const record of scan(log, [topic])) events.push(codec.decode(record))
  }
  return await installation.opened(events)
}

/** The API also stores an event in the outbox, under the same id, if the log does not acknowledge it within a quarter of a second. */
async function outbox(): Promise<DomainEvent[]> {
  const rows = await installation.database.query<{ event: DomainEvent }>(
    'SELECT event FROM projection.outbox',
  )
  return await installation.opened(rows.map(({ event }) => event))
}

/** Counts the records in all topics of the installation. */
async function recordCount(): Promise<number> {
  const { log } = installation
  let count = 0
  for (const { name, partitions } of topicSpecs)
    for (let partition = 0; partition < partitions; partition += 1)
      count += await log.endOffset(name, partition)
  return count
}

async function requestOf(reply: Reply): Promise<ScreenRequested | undefined> {
  const requestId = reply.headers['request-id']
  return (await installation.requests()).find(({ call }) => call?.requestId === requestId)
}

/** Resolves once the view has these calls. Each look at the list would add an entry, and soon fill its first page. */
async function viewed(...replies: readonly Reply[]): Promise<void> {
  const ids = replies.map((reply) => reply.headers['request-id'])
  await until(async () =>
    expect(
      await installation.database.query('SELECT FROM audit_view.entry WHERE request_id = ANY ($1)', [ids]),
    ).toHaveLength(ids.length),
  )
}

/** Resolves once everything in the outbox is in the log. */
async function relayed(): Promise<void> {
  const { log, codec, database } = installation
  const relay = startOutboxRelay({ log, codec, database, logger: silentLogger, metrics: noMetrics })
  await until(async () => expect((await outboxBacklog(database)).waiting).toBe(0))
  await relay.stop()
}

function of(reply: Reply, events: readonly DomainEvent[]): ApiRequestAudited[] {
  const requestId = reply.headers['request-id']
  const byId = new Map(events.map((event) => [event.envelope.id, event]))
  return [...byId.values()].flatMap((event) =>
    event.type === 'ApiRequestAudited' && event.data.requestId === requestId ? [event.data] : [],
  )
}
const logged = async (reply: Reply): Promise<ApiRequestAudited[]> => of(reply, await trail())
/** Looks in both places that may hold the event. The outbox is relayed only where a test does it. */
const told = async (reply: Reply): Promise<ApiRequestAudited[]> =>
  of(reply, [...(await outbox()), ...(await trail())])

/** The sandbox always answers a screen of this address as late. */
const MAGIC_SLOWEST_ADDRESS = [...magicProblems].find(([, code]) => code === 'screening_timeout')![0]

async function tracesOf(requestId: string): Promise<(string | undefined)[]> {
  const events = [...(await outbox()), ...(await trail())].filter(({ envelope }) => envelope.id === requestId)
  return [...new Map(events.map(({ envelope }) => [envelope.id, envelope.traceparent])).values()]
}

const items = (reply: Reply) => reply.json()['items'] as Record<string, unknown>[]
const UNKNOWN = '/v1/reports/0123456789abcdef'

describe('the trail', () => {
  test('holds a screen in its request, before the answer: two records in the log, none in the outbox', async () => {
    const { key, keyId } = await installation.key()
    const before = await recordCount()
    const reply = await screen(api.url, key)
    expect((await recordCount()) - before).toBe(2)
    expect(await told(reply)).toEqual([])
    expect(await requestOf(reply)).toMatchObject({
      reportId: reply.json()['report_id'],
      call: {
        ...{ keyId, scope: 'read-write', clientAddress: 'unknown' },
        ...{ method: 'POST', route: '/v1/screen', status: 200 },
      },
    })
  })

  test.each([
    ['fails', 'fail', ADDRESS, 500, 'screening_failed'],
    ['is late', 'report', MAGIC_SLOWEST_ADDRESS, 503, 'screening_timeout'],
  ] as const)('holds the answer of a screen that %s', async (_, answer, address, status, code) => {
    installation.scorer.answer = answer
    const { key } = await installation.key({ environment: 'test' })
    const reply = await call(api.url, 'POST', '/v1/screen', { key, body: { address } })
    installation.scorer.answer = 'report'
    expect(reply.status, reply.text).toBe(status)
    const reportId = reply.json()['report_id']
    expect(await told(reply)).toMatchObject([{ status, code, subjectIds: [reportId] }])
    // A row of the request may come before that of the outcome.
    await until(async () =>
      expect(items(await call(api.url, 'GET', '/v1/audit-log?page_size=200', { key }))).toContainEqual(
        expect.objectContaining({ request_id: reply.headers['request-id'], status, code }),
      ),
    )
  })

  test('holds a job and its cancellation, a webhook endpoint and its changes in their events', async () => {
    const { key, keyId } = await installation.key({ webhookAdmin: true })
    const job = await call(api.url, 'POST', '/v1/bulk', { key, body: { addresses: [ADDRESS] } })
    const jobId = String(job.json()['job_id'])
    const cancelled = await call(api.url, 'POST', `/v1/bulk/${jobId}/cancel`, { key })
    const endpoints = '/v1/webhook-endpoints'
    const made = await call(api.url, 'POST', endpoints, { key, body: { url: 'https://example.com/hook' } })
    const endpointId = String(made.json()['endpoint_id'])
    const path = `${endpoints}/${endpointId}`
    const paused = await call(api.url, 'PATCH', path, { key, body: { status: 'disabled' } })
    const rotated = await call(api.url, 'POST', `${path}/rotate-secret`, { key })
    const deleted = await call(api.url, 'DELETE', path, { key })
    const replies = [job, cancelled, made, paused, rotated, deleted]
    for (const reply of replies) expect(await told(reply)).toEqual([])
    await relayed()
    await viewed(...replies)
    const expected = replies.map((reply) => ({
      ...{ request_id: reply.headers['request-id'], key_id: keyId, status: reply.status, code: null },
      subject_ids: [reply === job || reply === cancelled ? jobId : endpointId],
    }))
    expect(items(await call(api.url, 'GET', '/v1/audit-log', { key }))).toMatchObject(expected.reverse())
  })

  test('holds a resumed call by itself, and the one that it goes on with', async () => {
    const { key } = await installation.key()
    installation.scorer.answer = 'hold'
    const order = { key, headers: { 'idempotency-key': 'resumed' }, body: { address: ADDRESS } }
    const first = call(api.url, 'POST', '/v1/screen', order)
    await until(() => expect(installation.scorer.held()).not.toEqual([]))
    await installation.database.execute(
      `UPDATE access.idempotency SET lease_until = now() - interval '1 second' WHERE idempotency_key = $1`,
      [storedKeyOf('resumed')],
    )
    const second = call(api.url, 'POST', '/v1/screen', order)
    await until(() => expect(installation.scorer.held()).toHaveLength(2))
    installation.scorer.answer = 'report'
    await installation.scorer.release()
    const [one, two] = await Promise.all([first, second])
    expect(two.text).toBe(one.text)
    expect(await told(one)).toEqual([])
    expect(await told(two)).toMatchObject([{ status: 200, subjectIds: [one.json()['report_id']] }])
  })

  test.each([
    ['an unknown id', 'read-write', 'GET', UNKNOWN, undefined, 404, 'not_found', ''],
    [
      'a missing scope',
      'read-only',
      'POST',
      '/v1/screen',
      { address: ADDRESS },
      403,
      'scope_required',
      'scope_required',
    ],
    ['a malformed body', 'read-write', 'POST', '/v1/screen', { adress: '' }, 400, 'invalid_request', ''],
    ['an unknown path', 'read-only', 'GET', '/v1/nothing', undefined, 404, 'not_found', ''],
    ['a path that cannot be decoded', 'read-only', 'POST', '/v1/%zz', {}, 404, 'not_found', ''],
    ['a method that the path does not take', 'read-only', 'PUT', UNKNOWN, {}, 405, 'method_not_allowed', ''],
  ] as const)('holds %s under the account', async (_, scope, method, path, body, status, code, because) => {
    const { key, accountId } = await installation.key({ scope })
    const reply = await call(api.url, method, path, { key, ...(body === undefined ? {} : { body }) })
    expect(reply.status).toBe(status)
    expect(await told(reply)).toMatchObject([{ accountId, status, code, refusedBecause: because }])
    expect(reply.headers['ratelimit']).toMatch(/^"[a-z]+";r=\d+;t=\d+$/)
    expect(reply.headers['ratelimit-policy']).toMatch(/^"[a-z]+";q=\d+;w=\d+$/)
  })

  test('names a client that a trusted proxy does not name unknown', async () => {
    const { key } = await installation.key()
    const reply = await call(api.url, 'GET', UNKNOWN, { key, headers: { 'x-forwarded-for': 'somebody' } })
    expect(await told(reply)).toMatchObject([{ clientAddress: 'unknown' }])
  })

  test('holds OPTIONS with a key, and names no path that no endpoint has', async () => {
    const { key, accountId } = await installation.key()
    const options = await call(api.url, 'OPTIONS', '/v1/screen', { key })
    expect([options.status, options.headers['allow']]).toEqual([204, 'POST, OPTIONS'])
    expect(await told(options)).toMatchObject([{ accountId, method: 'OPTIONS', route: '/v1/screen' }])
    const nowhere = await call(api.url, 'GET', `/v1/${key}?key=${key}`, { key })
    expect(nowhere.status).toBe(404)
    expect(await told(nowhere)).toMatchObject([{ accountId, route: '/*', subjectIds: [] }])
  })

  test('a wrong key is refused on unknown paths as on known ones, and counted', async () => {
    const wrong = (await installation.key({ expiresAt: '2020-01-01' })).key
    const reply = await call(api.url, 'GET', '/v1/nothing', { key: wrong })
    expect([reply.status, reply.headers['ratelimit']]).toEqual([401, undefined])
    expect(await told(reply)).toMatchObject([{ code: 'invalid_key', refusedBecause: 'expired_key' }])
  })

  test.each([
    [
      'continues the trace of its call, without its flag',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ],
    ['begins the trace of a call that names none', undefined],
  ])('%s', async (_what, traceparent) => {
    const { key } = await installation.key()
    const headers = traceparent === undefined ? {} : { traceparent }
    const reply = await call(api.url, 'GET', UNKNOWN, { key, headers })
    const requestId = String(reply.headers['request-id'])
    const begun = `00-${requestId.replaceAll('-', '')}-${requestId.replaceAll('-', '').slice(-16)}-00`
    expect(await tracesOf(requestId)).toEqual([traceparent?.replace(/01$/, '00') ?? begun])
  })

  test('tells a revoked key from an expired one, under the account of both, while the answer does not', async () => {
    const expired = await installation.key({ expiresAt: '2020-01-01' })
    const reply = await call(api.url, 'GET', UNKNOWN, { key: expired.key })
    expect(reply.status).toBe(401)
    expect(await told(reply)).toMatchObject([
      { accountId: expired.accountId, code: 'invalid_key', refusedBecause: 'expired_key' },
    ])
  })

  test('holds sandbox calls in the topic of the sandbox', async () => {
    const { key } = await installation.key({ environment: 'test' })
    const reply = await call(api.url, 'GET', UNKNOWN, { key })
    expect(await told(reply)).toMatchObject([{ environment: 'test', livemode: false }])
  })

  test('counts strangers beyond twenty a minute and tells the count when the instance ends', async () => {
    const counting = await installation.api({
      config: { CUPEL_INSTANCE: 3, CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'] },
    })
    const headers = { 'x-forwarded-for': '2001:db8:7::1' }
    for (let count = 0; count < 30; count += 1) await call(counting.url, 'GET', UNKNOWN, { headers })
    await counting.stop()
    const recorded = [...(await outbox()), ...(await trail())]
    const events = [...new Map(recorded.map((event) => [event.envelope.id, event])).values()]
    const full = events.filter(
      ({ type, data }) => type === 'ApiRequestAudited' && data.clientAddress === '2001:db8:7::1',
    )
    const counted = events.flatMap(({ type, data }) =>
      type === 'RefusedRequestsCounted' && data.clientNetwork === '2001:db8:7::/64' ? [data.count] : [],
    )
    // The counting may cross into the next minute; no count is lost either way.
    expect(full.length).toBeGreaterThanOrEqual(20)
    expect(full.length + counted.reduce((sum, count) => sum + count, 0)).toBe(30)
  })
})

describe('GET /v1/audit-log', () => {
  test('shows an account its own calls, newest first, and no other account or environment', async () => {
    const { key, keyId, accountId } = await installation.key()
    const sandbox = await installation.key({ accountId, environment: 'test' })
    const made = await screen(api.url, key)
    const missed = await call(api.url, 'GET', UNKNOWN, { key })
    const list = (of: string, query = '') => call(api.url, 'GET', `/v1/audit-log${query}`, { key: of })
    const entries = async () =>
      items(await list(key, '?page_size=200')).filter(({ route }) => route !== '/v1/audit-log')
    // The page holds the looks at itself too.
    await until(async () => expect(await entries()).toHaveLength(2))
    expect(await entries()).toMatchObject([
      { request_id: missed.headers['request-id'], key_id: keyId, status: 404, code: 'not_found' },
      { request_id: made.headers['request-id'], status: 200, code: null, livemode: true },
    ])
    const { key: stranger } = await installation.key()
    for (const outsider of [stranger, sandbox.key]) {
      const routes = items(await list(outsider)).map(({ request_id }) => request_id)
      expect(routes).not.toContain(made.headers['request-id'])
    }
    const token = (await list(key, '?page_size=1')).json()['next_page_token']
    expect((await list(key, `?page_size=1&page_token=${String(token)}`)).status).toBe(200)
    for (const outsider of [stranger, sandbox.key])
      expect((await list(outsider, `?page_token=${String(token)}`)).status).toBe(400)
    expect((await list(key, `?key_id=${keyId}&page_token=${String(token)}`)).status).toBe(400)
  })
})

describe('where the log does not acknowledge', () => {
  /** Appends at this point fail or hang; everything else passes. */
  const logWithout = (append: () => Promise<never>, point = 'api.request-audited'): EventLog =>
    new Proxy(installation.log, {
      get(log, name: keyof EventLog) {
        if (name === 'append')
          return (at: string, records: never) => (at === point ? append() : log.append(at as never, records))
        const value = log[name]
        return typeof value === 'function' ? (value as () => unknown).bind(log) : value
      },
    })
  const refused = () => Promise.reject(new LogUnavailableError('held back by the test'))
  const hanging = () => new Promise<never>(() => undefined)

  test.each([
    ['refuses', 4, refused],
    ['hangs', 5, hanging],
  ])('a log that %s leaves the event to the outbox, under the same id', async (_, instance, append) => {
    const { key } = await installation.key()
    const cut = await installation.api({ log: logWithout(append), config: { CUPEL_INSTANCE: instance } })
    const reply = await call(cut.url, 'GET', UNKNOWN, { key })
    expect(reply.status).toBe(404)
    expect(await logged(reply)).toEqual([])
    expect(of(reply, await outbox())).toMatchObject([{ status: 404 }])
    const { log, codec, database } = installation
    const relay = startOutboxRelay({ log, codec, database, logger: silentLogger, metrics: noMetrics })
    await until(async () => expect(await logged(reply)).toMatchObject([{ status: 404 }]))
    await relay.stop()
  })

  test('a report that is there before its request is acknowledged is answered, and the call recorded by itself', async () => {
    const { key } = await installation.key()
    const { log } = installation
    const unacknowledged = new Proxy(log, {
      get(target, name: keyof EventLog) {
        if (name === 'append')
          return async (at: never, records: never) => {
            await target.append(at, records)
            return at === 'api.screen-requested' ? await hanging() : []
          }
        const value = target[name]
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value
      },
    })
    const cut = await installation.api({ log: unacknowledged, config: { CUPEL_INSTANCE: 2 } })
    const reply = await screen(cut.url, key)
    expect(reply.status).toBe(200)
    expect(await told(reply)).toMatchObject([{ status: 200, subjectIds: [reply.json()['report_id']] }])
  })

  test('nothing is answered where the outbox fails too', async () => {
    const { key } = await installation.key()
    const database: Database = Object.create(installation.database, {
      transaction: { value: () => Promise.reject(new Error('held back by the test')) },
    }) as Database
    const cut = await installation.api({ log: logWithout(refused), database, config: { CUPEL_INSTANCE: 6 } })
    const reply = await call(cut.url, 'GET', '/v1/chains', { key })
    expect(reply.json()).toMatchObject({ status: 503, code: 'unavailable' })
    expect(reply.text).not.toContain('BTC')
  })
})
