/** An account creates, lists and removes its watches. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { plans } from '@cupel/domain'
import { outboxBacklog, runReadModel, startOutboxRelay } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
})
afterAll(() => installation.stop())

interface WatchBody {
  watch_id: string
  address: string
  reference: string | null
  until: string | null
  threshold: number
  status: string
  last_report: unknown
}

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const post = (
  key: string,
  watches: readonly object[],
  headers: Record<string, string> = {},
): Promise<Reply> => call(api.url, 'POST', '/v1/watches', { key, body: { watches }, headers })
const itemsOf = (reply: Reply): WatchBody[] => {
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.json()['items'] as WatchBody[]
}
const get = (key: string, path: string): Promise<Reply> => call(api.url, 'GET', path, { key })

async function listed(key: string, size = 200): Promise<WatchBody[]> {
  const found: WatchBody[] = []
  for (let token: string | null = ''; token !== null;) {
    const more: string = token === '' ? '' : `&page_token=${encodeURIComponent(token)}`
    const page = await get(key, `/v1/watches?page_size=${size}${more}`)
    found.push(...itemsOf(page))
    token = page.json()['next_page_token'] as string | null
  }
  return found
}

async function eventsOf(accountId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await installation.database.query<{
    event: { type: string; data: Record<string, unknown> }
  }>('SELECT event FROM projection.outbox ORDER BY seq')
  return rows
    .map(({ event }) => event)
    .filter(({ type, data }) => type.startsWith('Watch') && data['accountId'] === accountId)
}

describe('watches', () => {
  test('are made singly and in bulk, listed in pages, read and removed', async () => {
    const { key } = await installation.key()
    const until = '2099-01-01T00:00:00+01:00'
    const [one] = itemsOf(await post(key, [{ address: ETH, reference: 'A', until, threshold: 0.29 }]))
    expect(one).toMatchObject({
      ...{ address: ETH, chain: 'ETH', reference: 'A', threshold: 0.29, status: 'active', last_report: null },
      until: '2098-12-31T23:00:00.000Z',
    })
    const many = Array.from({ length: 1_000 }, (_, n) => ({ address: address(n + 1), chain: 'eth' }))
    const made = itemsOf(await post(key, many))
    expect(made.map((watch) => watch.address)).toEqual(many.map((watch) => watch.address))
    expect(new Set(made.map((watch) => watch.watch_id)).size).toBe(1_000)
    const all = await listed(key)
    expect(all).toHaveLength(1_001)
    expect(new Set(all.map((watch) => watch.watch_id)).size).toBe(1_001)
    const path = `/v1/watches/${one!.watch_id}`
    expect((await get(key, path)).json()).toEqual(one)
    expect((await call(api.url, 'DELETE', path, { key })).status).toBe(204)
    expect((await get(key, path)).status).toBe(404)
    expect((await call(api.url, 'DELETE', path, { key })).status).toBe(404)
    expect(await listed(key)).toHaveLength(1_000)
  })

  test('of one address on one chain are one watch, which takes the settings of the last call', async () => {
    const { key, accountId } = await installation.key()
    const [first] = itemsOf(await post(key, [{ address: ETH, reference: 'old', threshold: 5 }]))
    const [again, other] = itemsOf(
      await post(key, [{ address: ETH.toLowerCase() }, { address: ETH, chain: 'BSC' }]),
    )
    expect(again).toMatchObject({ watch_id: first!.watch_id, address: ETH, reference: null, threshold: 10 })
    expect(other!.watch_id).not.toBe(first!.watch_id)
    const events = await eventsOf(accountId)
    expect(events.map(({ type }) => type)).toEqual(['WatchesCreated', 'WatchesCreated'])
    expect((events[1]!.data['watches'] as { watchId: string }[])[0]!.watchId).toBe(first!.watch_id)
  })

  test('ask for the digest where they are told to, and are listed by the digest that said they had changed', async () => {
    const { key, accountId } = await installation.key()
    const [one, other] = itemsOf(await post(key, [{ address: ETH, digest: true }, { address: address(1) }]))
    expect([one, other]).toMatchObject([{ digest: true }, { digest: false }])
    const [event] = await eventsOf(accountId)
    expect(event!.data['watches']).toMatchObject([{ digest: true }, { digest: false }])
    await installation.database.execute(
      `UPDATE watches.watch SET digest_day = '2026-11-25' WHERE watch_id = $1`,
      [one!.watch_id],
    )
    const changedIn = async (day: string) => await get(key, `/v1/watches?changed_in=${day}`)
    expect(itemsOf(await changedIn('2026-11-25'))).toMatchObject([{ watch_id: one!.watch_id }])
    expect(itemsOf(await changedIn('2026-11-24'))).toEqual([])
    for (const wrong of ['2026-02-30', 'yesterday', '2026-11-25T00:00:00Z'])
      expect((await changedIn(wrong)).status).toBe(400)
    const [again] = itemsOf(await post(key, [{ address: ETH }]))
    expect(again).toMatchObject({ watch_id: one!.watch_id, digest: false })
  })

  test('are as many as the plan allows, and those that ended do not count', async () => {
    const { key, accountId } = await installation.key({ plan: 'pro' })
    await installation.database.execute(
      `INSERT INTO watches.watch (watch_id, account_id, livemode, address, canonical_address, chain, candidate_chains, lookup_key,
         threshold_hundredths, report_page_url, created_at, until)
       SELECT $1 || n, $1, true, n, n, 'ETH', '[]', n, 1000, '', now(), CASE WHEN n > $2 THEN now() END
       FROM generate_series(1, $2::int4 + 3) AS n`,
      [accountId, plans.pro.maxWatches - 1],
    )
    const two = [{ address: ETH }, { address: address(1) }]
    const refused = await post(key, two)
    expect(refused.json()).toMatchObject({
      ...{ status: 409, code: 'too_many_watches' },
      detail: 'An account of the pro plan has at most 10000 watches.',
    })
    expect(await eventsOf(accountId)).toEqual([])
    itemsOf(await post(key, [{ address: ETH }]))
    expect((await post(key, [{ address: address(1) }])).status).toBe(409)
    const { key: enterprise } = await installation.key({ accountId, plan: 'enterprise' })
    itemsOf(await post(enterprise, two))
  })

  test('are made all or none: every fault of a call is named', async () => {
    const { key, accountId } = await installation.key()
    const faults: [object, string, string][] = [
      [{ address: 'nonsense' }, 'invalid_address', '/watches/1/address'],
      [{ address: ETH.toLowerCase() }, 'invalid_request', '/watches/1/address'],
      [{ address: address(7), chain: 'XYZ' }, 'unsupported_chain', '/watches/1/chain'],
      [{ address: address(7), chain: 'BTC' }, 'chain_mismatch', '/watches/1/chain'],
      [{ address: address(7), until: '2020-01-01T00:00:00Z' }, 'invalid_request', '/watches/1/until'],
      [{ address: address(7), until: 'soon' }, 'invalid_request', '/watches/1/until'],
      [{ address: address(7), threshold: 0 }, 'invalid_request', '/watches/1/threshold'],
      [{ address: address(7), threshold: 1.001 }, 'invalid_request', '/watches/1/threshold'],
      [{ address: address(7), threshold: 100.01 }, 'invalid_request', '/watches/1/threshold'],
      [{ address: address(7), reference: 'x'.repeat(129) }, 'invalid_request', '/watches/1/reference'],
    ]
    for (const [watch, code, pointer] of faults) {
      const reply = await post(key, [{ address: ETH }, watch])
      expect(reply.json(), JSON.stringify(watch)).toMatchObject({ code, errors: [{ pointer }] })
    }
    expect((await post(key, [])).status).toBe(400)
    const tooMany = Array.from({ length: 1_001 }, (_, n) => ({ address: address(n + 1) }))
    expect((await post(key, tooMany)).status).toBe(400)
    expect(await listed(key)).toEqual([])
    expect(await eventsOf(accountId)).toEqual([])
  })

  test('of another account or environment do not exist', async () => {
    const { key, accountId } = await installation.key()
    const strangers = [
      (await installation.key()).key,
      (await installation.key({ accountId, environment: 'test' })).key,
    ]
    const [watch] = itemsOf(await post(key, [{ address: ETH }]))
    const path = `/v1/watches/${watch!.watch_id}`
    for (const stranger of strangers) {
      expect((await get(stranger, path)).status).toBe(404)
      expect((await call(api.url, 'DELETE', path, { key: stranger })).status).toBe(404)
      expect(await listed(stranger)).toEqual([])
      const [own] = itemsOf(await post(stranger, [{ address: ETH }]))
      expect(own!.watch_id).not.toBe(watch!.watch_id)
    }
    expect((await get(key, path)).status).toBe(200)
    const token = (await get(key, '/v1/watches?page_size=1')).json()['next_page_token']
    expect(token).toBeNull()
  })

  test('stay apart if the condition of a query is lost: the database shows a tenant only its own rows', async () => {
    const { key, accountId } = await installation.key()
    itemsOf(await post(key, [{ address: ETH }]))
    const { tenantScope } = await import('@cupel/projections')
    const rows = await installation.database.query<{ account_id: string }>({
      text: 'SELECT account_id FROM watches.watch',
      scope: tenantScope({ accountId, livemode: true }),
    })
    expect(rows).toEqual([{ account_id: accountId }])
  })

  test('under one Idempotency-Key are made once, and a repeat is answered as the first call was', async () => {
    const { key, accountId } = await installation.key()
    const headers = { 'idempotency-key': 'watches-1' }
    const first = await post(key, [{ address: ETH }, { address: address(1) }], headers)
    const repeat = await post(key, [{ address: ETH }, { address: address(1) }], headers)
    expect([repeat.status, repeat.text]).toEqual([201, first.text])
    expect(repeat.headers['idempotency-replayed']).toBe('true')
    expect(await eventsOf(accountId)).toHaveLength(1)
  })

  test('are in the audit log, each call once', async () => {
    const { key, accountId } = await installation.key()
    const projection = runReadModel({ ...installation.deps, readModel: auditView })
    try {
      const [watch] = itemsOf(await post(key, [{ address: ETH }]))
      await call(api.url, 'DELETE', `/v1/watches/${watch!.watch_id}`, { key })
      await relayed()
      const entries = await until(async () => {
        const rows = await installation.database.query<{ route: string; status: number }>(
          'SELECT route, status FROM audit_view.entry WHERE account_id = $1 ORDER BY at, request_id',
          [accountId],
        )
        expect(rows).toHaveLength(2)
        return rows
      })
      expect(entries).toEqual([
        { route: '/v1/watches', status: 201 },
        { route: '/v1/watches/{watch_id}', status: 204 },
      ])
    } finally {
      await projection.stop()
    }
  })
})

/** Puts the events of the outbox into the log, as the relay of an installation does. */
async function relayed(): Promise<void> {
  const { log, codec, database } = installation
  const relay = startOutboxRelay({ log, codec, database, logger: silentLogger, metrics: noMetrics })
  await until(async () => expect((await outboxBacklog(database)).waiting).toBe(0))
  await relay.stop()
}

test.each([
  ['before:watches.change:1', 0],
  ['after:watches.change:1', 2],
])('killed %s, the watches of a call and their event are all there or none is', async (failpoint, count) => {
  const { key, accountId } = await installation.key()
  const body = { watches: [{ address: ETH }, { address: address(1) }] }
  await installation.apiDies(failpoint, (url) => call(url, 'POST', '/v1/watches', { key, body }))
  expect(await listed(key)).toHaveLength(count)
  expect(await eventsOf(accountId)).toHaveLength(count / 2)
})
