import type { AttemptDecision } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  changeEndpoint,
  claimDeliveries,
  deliveryBacklog,
  exhaustOverdue,
  forgetOldDeliveries,
  getEndpoint,
  insertDeliveries,
  listDeliveries,
  listMissingBodies,
  loadBody,
  recordAttempts,
  redeliver,
  redeliverRange,
  releaseClaims,
  renewClaims,
  rotateEndpointSecret,
  sendTest,
  storeBody,
  type AttemptRecord,
  type ClaimedDelivery,
  type Owner,
} from '../src/index.js'
import { openStore, type TestStore } from './store.js'

let store: TestStore
let owner: Owner
beforeEach(async () => {
  store = await openStore()
  owner = store.owner()
})
afterEach(() => store.close())

const by = 'test'
const record = (
  delivery: ClaimedDelivery,
  decision: AttemptDecision,
  statusCode: number | null = 500,
): AttemptRecord => ({
  delivery,
  attemptedAt: new Date().toISOString(),
  statusCode,
  error: statusCode === null ? 'timeout' : null,
  durationMs: 12,
  responseExcerpt: 'oh',
  signature: null,
  decision,
})
const retry: AttemptDecision = { kind: 'retry', delayMs: 60_000 }
const deliveries = async (endpointId: string) =>
  (await listDeliveries(store.database, { ...owner, endpointId, pageSize: 100, after: null })).items
const dueNow = () =>
  store.database.execute(`UPDATE webhooks.delivery SET due_at = now() WHERE status = 'pending'`)

describe('deliveries of an ended job', () => {
  test('are one for each endpoint of its account, however often the event comes', async () => {
    const [one, two] = [await store.endpoint(owner), await store.endpoint(owner, { payload: 'thin' })]
    await store.endpoint(store.owner())
    await store.endpoint({ ...owner, livemode: false })
    const end = { ...owner, jobId: 'j', type: 'bulk.completed', endedAt: new Date().toISOString() } as const
    expect(await insertDeliveries(store.database, [end, end])).toBe(2)
    expect(await insertDeliveries(store.database, [end])).toBe(0)
    const made = [...(await deliveries(one.endpointId)), ...(await deliveries(two.endpointId))]
    expect(made.map(({ payload, status }) => [payload, status])).toEqual([
      ['full', 'pending'],
      ['thin', 'pending'],
    ])
    expect(new Set(made.map(({ webhookId }) => webhookId)).size).toBe(2)
  })

  test('are not created for endpoints that were created long after the end', async () => {
    await store.endpoint(owner)
    const end = { ...owner, jobId: 'j', type: 'bulk.completed', endedAt: '2026-01-01T00:00:00.000Z' } as const
    expect(await insertDeliveries(store.database, [end])).toBe(0)
  })

  test('wait for their body, which is stored once per payload kind and never replaced', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.endpoint(owner)
    await store.endpoint(owner, { payload: 'thin' })
    await insertDeliveries(store.database, [
      { ...owner, jobId: 'j', type: 'bulk.completed', endedAt: new Date().toISOString() },
    ])
    expect(await store.claim()).toEqual([])
    const missing = await listMissingBodies(store.database, 10)
    expect(missing).toHaveLength(2)
    for (const one of missing) await storeBody(store.database, one, `first ${one.payload}`)
    for (const one of missing) await storeBody(store.database, one, 'second')
    const claimed = await store.claim()
    expect(claimed).toHaveLength(3)
    const bodies = await Promise.all(claimed.map(({ bodyId }) => loadBody(store.database, bodyId)))
    expect(bodies.sort()).toEqual(['first full', 'first full', 'first thin'])
    expect(await listMissingBodies(store.database, 10)).toEqual([])
    expect(claimed.some((one) => one.endpointId === endpointId)).toBe(true)
  })
})

test('bodies are built for one account after the other, however many jobs one of them has ended', async () => {
  const other = store.owner()
  await store.endpoint(owner)
  await store.endpoint(other)
  const ended = (of: Owner, jobId: string) =>
    insertDeliveries(store.database, [
      { ...of, jobId, type: 'bulk.completed', endedAt: new Date().toISOString() },
    ])
  for (const jobId of ['a1', 'a2', 'a3']) await ended(owner, jobId)
  await ended(other, 'b1')
  expect((await listMissingBodies(store.database, 2)).map(({ jobId }) => jobId).sort()).toEqual(['a1', 'b1'])
})

describe('a claim', () => {
  test('belongs to one sender until its lease ends', async () => {
    await store.endpoint(owner)
    for (let job = 0; job < 20; job += 1) await store.ended(owner)
    const trusted = [(await store.claim({ limit: 1 }))[0]!.endpointId]
    const taken: ClaimedDelivery[] = []
    for (let round = 0; round < 5; round += 1)
      taken.push(...(await Promise.all([1, 2, 3].map(() => store.claim({ trusted })))).flat())
    expect(taken).toHaveLength(19)
    expect(new Set(taken.map(({ deliveryId }) => deliveryId)).size).toBe(19)
  })

  test('of a killed sender goes to another one, with another number', async () => {
    await store.endpoint(owner)
    await store.ended(owner)
    const [first] = await store.claim({ leaseMs: 0 })
    const [second] = await store.claim()
    expect(second).toMatchObject({ deliveryId: first!.deliveryId, claim: first!.claim + 1 })
    expect(await store.claim()).toEqual([])
    await renewClaims(store.database, [first!], 0)
    expect(await store.claim()).toEqual([])
    await releaseClaims(store.database, [second!])
    expect(await store.claim()).toHaveLength(1)
  })

  test('takes one delivery of a new endpoint, several of a trusted one, none of a closed one', async () => {
    const others = [store.owner(), store.owner(), store.owner()]
    const [unproven, trusted, closed] = await Promise.all(others.map((other) => store.endpoint(other)))
    for (const other of others) for (let job = 0; job < 6; job += 1) await store.ended(other)
    const claimed = await store.claim({ trusted: [trusted!.endpointId], closed: [closed!.endpointId] })
    const of = (endpointId: string) => claimed.filter((one) => one.endpointId === endpointId).length
    expect([of(unproven!.endpointId), of(trusted!.endpointId), of(closed!.endpointId)]).toEqual([1, 4, 0])
  })

  test('brings both secrets while they are rotated, the new one first', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const [before] = await store.claim({ leaseMs: 0 })
    const rotated = await rotateEndpointSecret(store, { ...owner, endpointId, by })
    if (!rotated.ok) throw new Error(rotated.code)
    const [during] = await store.claim({ leaseMs: 0 })
    expect(during!.secrets).toEqual([rotated.secret, ...before!.secrets])
    await store.database.execute('UPDATE webhooks.endpoint SET previous_secret_expires_at = now()')
    expect((await store.claim())[0]!.secrets).toEqual([rotated.secret])
  })
})

describe('an attempt', () => {
  test('that is accepted ends its delivery, with its events', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const [claimed] = await store.claim()
    await recordAttempts(store.database, [record(claimed!, { kind: 'delivered' }, 204)])
    const [delivery] = await deliveries(endpointId)
    expect(delivery).toMatchObject({ status: 'delivered', nextAttemptAt: null })
    expect(delivery!.attempts).toMatchObject([
      { number: 1, statusCode: 204, error: null, durationMs: 12, responseExcerpt: 'oh', signature: null },
    ])
    expect((await store.events()).slice(-2)).toMatchObject([
      { type: 'WebhookAttempted', data: { attempt: 1, statusCode: 204, nextAttemptAt: null } },
      { type: 'WebhookDelivered', data: { deliveryId: claimed!.deliveryId, attempts: 1 } },
    ])
    expect(JSON.stringify(await store.events())).not.toContain('oh"')
  })

  test('that fails is retried at its time, and the last failure exhausts the delivery', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const [first] = await store.claim()
    await recordAttempts(store.database, [record(first!, retry, null)])
    const [waiting] = await deliveries(endpointId)
    expect(Date.parse(waiting!.nextAttemptAt!) - Date.now()).toBeGreaterThan(50_000)
    expect(await store.claim()).toEqual([])
    await dueNow()
    const [second] = await store.claim()
    expect(second).toMatchObject({ attempts: 1 })
    await recordAttempts(store.database, [record(second!, { kind: 'exhausted' })])
    const [delivery] = await deliveries(endpointId)
    expect(delivery).toMatchObject({ status: 'exhausted', nextAttemptAt: null })
    expect(delivery!.attempts.map(({ number, error }) => [number, error])).toEqual([
      [1, 'timeout'],
      [2, null],
    ])
    expect((await store.events()).at(-1)).toMatchObject({ type: 'WebhookExhausted', data: { attempts: 2 } })
  })

  test('under a lost claim is listed and changes nothing, unless it was accepted', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const [late] = await store.claim({ leaseMs: 0 })
    const [holder] = await store.claim()
    await recordAttempts(store.database, [record(late!, { kind: 'exhausted' })])
    expect((await deliveries(endpointId))[0]).toMatchObject({ status: 'pending' })
    await recordAttempts(store.database, [record(late!, { kind: 'delivered' }, 200)])
    await recordAttempts(store.database, [record(holder!, retry)])
    const [delivery] = await deliveries(endpointId)
    expect(delivery).toMatchObject({ status: 'delivered' })
    expect(delivery!.attempts).toHaveLength(3)
    const delivered = (await store.events()).filter(({ type }) => type === 'WebhookDelivered')
    expect(delivered).toHaveLength(1)
  })

  test('answered with 410 disables the endpoint and holds its deliveries', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    await store.ended(owner)
    const [claimed] = await store.claim()
    await recordAttempts(store.database, [record(claimed!, { kind: 'gone' }, 410)])
    expect(await getEndpoint(store.database, { ...owner, endpointId })).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
    })
    expect((await deliveries(endpointId)).map(({ status }) => status)).toEqual(['held', 'held'])
    expect(await store.claim()).toEqual([])
  })

  test('answered with 410 by a former URL of the endpoint disables nothing', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const [claimed] = await store.claim()
    await changeEndpoint(store, { ...owner, endpointId, url: 'https://receiver.example/other', by })
    await recordAttempts(store.database, [record(claimed!, { kind: 'gone' }, 410)])
    expect(await getEndpoint(store.database, { ...owner, endpointId })).toMatchObject({ status: 'enabled' })
  })
})

describe('a disabled endpoint', () => {
  test('holds its present and later deliveries, and sends them all once it is enabled', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    await changeEndpoint(store, { ...owner, endpointId, status: 'disabled', by })
    await store.ended(owner)
    expect((await deliveries(endpointId)).map(({ status }) => status)).toEqual(['held', 'held'])
    expect(await store.claim()).toEqual([])
    expect(await deliveryBacklog(store.database)).toMatchObject({ pending: 0, held: 2 })
    expect(await sendTest(store.database, { ...owner, endpointId })).toEqual({
      ok: false,
      code: 'endpoint_disabled',
    })
    await changeEndpoint(store, { ...owner, endpointId, status: 'enabled', by })
    expect(await store.claim({ trusted: [endpointId] })).toHaveLength(2)
  })

  test('does not interrupt a running attempt', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    await store.ended(owner)
    const claimed = await store.claim({ trusted: [endpointId] })
    await changeEndpoint(store, { ...owner, endpointId, status: 'disabled', by })
    await recordAttempts(store.database, [
      record(claimed[0]!, { kind: 'delivered' }, 200),
      record(claimed[1]!, retry),
    ])
    expect((await deliveries(endpointId)).map(({ status }) => status).sort()).toEqual(['delivered', 'held'])
  })
})

describe('sent again', () => {
  test('a delivery keeps its id and body, restarts its schedule and continues its numbering', async () => {
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const [first] = await store.claim()
    await recordAttempts(store.database, [record(first!, { kind: 'exhausted' })])
    const again = await redeliver(store.database, { ...owner, endpointId, deliveryId: first!.deliveryId })
    expect(again).toMatchObject({ ok: true, delivery: { status: 'pending', webhookId: first!.webhookId } })
    const [second] = await store.claim()
    expect(second).toMatchObject({ attempts: 0, webhookId: first!.webhookId, bodyId: first!.bodyId })
    await recordAttempts(store.database, [record(second!, { kind: 'delivered' }, 200)])
    expect((await deliveries(endpointId))[0]!.attempts.map(({ number }) => number)).toEqual([1, 2])
    const unknown = await redeliver(store.database, { ...owner, endpointId, deliveryId: 'nobodys' })
    expect(unknown).toEqual({ ok: false, code: 'unknown_delivery' })
  })

  test('a range selects the missed deliveries, or those with the given status', async () => {
    const { endpointId } = await store.endpoint(owner)
    for (let job = 0; job < 4; job += 1) await store.ended(owner)
    const claimed = await store.claim({ trusted: [endpointId] })
    await recordAttempts(
      store.database,
      claimed.map((one, index) =>
        record(one, index < 2 ? { kind: 'exhausted' } : { kind: 'delivered' }, index < 2 ? 500 : 200),
      ),
    )
    const range = { ...owner, endpointId, since: new Date(Date.now() - 60_000).toISOString() }
    expect(await redeliverRange(store.database, { ...range, until: range.since })).toEqual({
      ok: true,
      count: 0,
    })
    expect(
      await redeliverRange(store.database, { ...range, since: new Date(Date.now() + 60_000).toISOString() }),
    ).toEqual({ ok: true, count: 0 })
    expect(await redeliverRange(store.database, range)).toEqual({ ok: true, count: 2 })
    expect(await redeliverRange(store.database, range)).toEqual({ ok: true, count: 0 })
    expect(await redeliverRange(store.database, { ...range, statuses: ['delivered'] })).toEqual({
      ok: true,
      count: 2,
    })
  })
})

test('a delivery and its attempts come from one snapshot', async () => {
  const { endpointId } = await store.endpoint(owner)
  await store.ended(owner)
  const [claimed] = await store.claim()
  await recordAttempts(store.database, [record(claimed!, retry)])
  const asked: unknown[] = []
  const watched: Database = Object.assign(Object.create(store.database) as Database, {
    query: (statement: string, values: readonly unknown[]) => {
      asked.push(statement)
      return store.database.query(statement, values)
    },
  })
  const { items } = await listDeliveries(watched, { ...owner, endpointId, pageSize: 10, after: null })
  expect(items).toMatchObject([{ status: 'pending', attempts: [{ number: 1, statusCode: 500 }] }])
  expect(asked).toHaveLength(1)
})

test('pages of deliveries hold each once, newest first, and can be filtered', async () => {
  const { endpointId } = await store.endpoint(owner)
  for (let job = 0; job < 5; job += 1) await store.ended(owner)
  const seen: string[] = []
  let after = null
  do {
    const page = await listDeliveries(store.database, { ...owner, endpointId, pageSize: 2, after })
    seen.push(...page.items.map(({ jobId }) => jobId!))
    after = page.next
  } while (after !== null)
  expect(seen).toHaveLength(5)
  expect(new Set(seen).size).toBe(5)
  const held = await listDeliveries(store.database, {
    ...owner,
    endpointId,
    status: 'held',
    pageSize: 9,
    after: null,
  })
  expect(held).toEqual({ items: [], next: null })
})

test('upkeep ends overdue deliveries and removes old ones, and no others', async () => {
  const { endpointId } = await store.endpoint(owner)
  for (let job = 0; job < 3; job += 1) await store.ended(owner)
  const claimed = await store.claim({ trusted: [endpointId] })
  await recordAttempts(store.database, [
    record(claimed[0]!, retry),
    record(claimed[1]!, { kind: 'delivered' }, 200),
  ])
  expect(await exhaustOverdue(store.database, 10)).toBe(0)
  await store.database.execute(
    `UPDATE webhooks.delivery SET due_at = now() - interval '11 days' WHERE delivery_id = $1`,
    [claimed[0]!.deliveryId],
  )
  expect(await exhaustOverdue(store.database, 10)).toBe(1)
  expect(await forgetOldDeliveries(store.database, 10)).toBe(0)
  await store.database.execute(`UPDATE webhooks.delivery SET created_at = now() - interval '31 days'`)
  await store.database.execute(`UPDATE webhooks.body SET created_at = now() - interval '31 days'`)
  expect(await forgetOldDeliveries(store.database, 10)).toBe(2)
  expect((await deliveries(endpointId)).map(({ status }) => status)).toEqual(['pending'])
  const bodies = await store.database.query('SELECT body_id FROM webhooks.body')
  expect(bodies).toHaveLength(1)
})

test('a claim order without free places takes nothing', async () => {
  await store.endpoint(owner)
  await store.ended(owner)
  const order = { trusted: [], placesPerTrusted: 4, closed: [], limit: 0, leaseMs: 1_000 }
  expect(await claimDeliveries(store.database, store.secrets, order)).toEqual({
    claimed: [],
    nextDueInMs: null,
  })
})
