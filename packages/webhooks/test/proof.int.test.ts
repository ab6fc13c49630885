/** An endpoint proves itself: no message about jobs is sent until its receiver has accepted a test message at its present URL. */
import type { AttemptDecision } from '@cupel/domain'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  changeEndpoint,
  getEndpoint,
  listDeliveries,
  recordAttempts,
  redeliverRange,
  sendTest,
  testUnproven,
  type ClaimedDelivery,
  type Owner,
  type WebhookEndpoint,
} from '../src/index.js'
import { openStore, type TestStore } from './store.js'

let store: TestStore
let owner: Owner
beforeAll(async () => {
  store = await openStore()
})
beforeEach(() => {
  owner = store.owner()
})
afterAll(() => store.close())

const by = 'test'
const accepted: AttemptDecision = { kind: 'delivered' }
const refused: AttemptDecision = { kind: 'retry', delayMs: 60_000 }

const outcome = (delivery: ClaimedDelivery, decision: AttemptDecision) => ({
  ...{ delivery, decision, statusCode: decision.kind === 'delivered' ? 200 : 500, error: null },
  ...{ attemptedAt: new Date().toISOString(), durationMs: 1, responseExcerpt: '' },
  signature: null,
})
const record = (delivery: ClaimedDelivery, decision: AttemptDecision) =>
  recordAttempts(store.database, [outcome(delivery, decision)])
const listed = async ({ endpointId }: WebhookEndpoint) =>
  (await listDeliveries(store.database, { ...owner, endpointId, pageSize: 200, after: null })).items
const statuses = async (endpoint: WebhookEndpoint) =>
  (await listed(endpoint)).map(({ type, status }) => [type, status])
const endpointOf = async ({ endpointId }: WebhookEndpoint) =>
  (await getEndpoint(store.database, { ...owner, endpointId }))!
const dueNow = () =>
  store.database.execute(`UPDATE webhooks.delivery SET due_at = now() WHERE status = 'pending'`)
/** Claims as often as there is something to claim for this endpoint. */
async function claimDue({ endpointId }: WebhookEndpoint): Promise<ClaimedDelivery[]> {
  await dueNow()
  return (await store.claim({ trusted: [endpointId] })).filter((one) => one.endpointId === endpointId)
}
const TEST = 'endpoint.test'
const JOB = 'bulk.completed'

describe('a new endpoint', () => {
  test('is sent only a test message, and what was held once that is accepted', async () => {
    const endpoint = await store.endpoint(owner, { isProven: false })
    await store.ended(owner)
    expect(await statuses(endpoint)).toEqual([
      [JOB, 'held'],
      [TEST, 'pending'],
    ])
    const claimed = await claimDue(endpoint)
    expect(claimed.map(({ type }) => type)).toEqual([TEST])
    await record(claimed[0]!, accepted)
    const { provenAt } = await endpointOf(endpoint)
    expect(Date.parse(provenAt!)).toBeLessThanOrEqual(Date.now())
    expect((await store.events()).at(-1)).toMatchObject({
      type: 'WebhookEndpointChanged',
      data: { endpointId: endpoint.endpointId, provenAt, changedBy: 'cupel/webhook-dispatcher' },
    })
    expect((await claimDue(endpoint)).map(({ type }) => type)).toEqual([JOB])
    await store.ended(owner)
    expect((await statuses(endpoint))[0]).toEqual([JOB, 'pending'])
  })

  test('whose test message fails is not proven, and one whose owner sends one that is accepted is', async () => {
    const endpoint = await store.endpoint(owner, { isProven: false })
    const [first] = await claimDue(endpoint)
    await record(first!, refused)
    expect(await endpointOf(endpoint)).toMatchObject({ provenAt: null })
    await sendTest(store.database, { ...owner, endpointId: endpoint.endpointId })
    const both = await claimDue(endpoint)
    expect(both).toHaveLength(2)
    await record(
      both.find(({ deliveryId }) => deliveryId !== first!.deliveryId)!,
      accepted,
    )
    expect((await endpointOf(endpoint)).provenAt).not.toBeNull()
  })

  test('that is paused keeps what is held until it is enabled, although it was proven meanwhile', async () => {
    const endpoint = await store.endpoint(owner, { isProven: false })
    const [underWay] = await claimDue(endpoint)
    await store.ended(owner)
    await changeEndpoint(store, { ...endpoint, status: 'disabled', by })
    await record(underWay!, accepted)
    expect((await statuses(endpoint))[0]).toEqual([JOB, 'held'])
    await changeEndpoint(store, { ...endpoint, status: 'enabled', by })
    expect((await claimDue(endpoint)).map(({ type }) => type)).toEqual([JOB])
  })
})

test('another URL has to prove itself, and the acceptance of the former one does not count', async () => {
  const endpoint = await store.endpoint(owner)
  await store.ended(owner)
  await sendTest(store.database, { ...owner, endpointId: endpoint.endpointId })
  const [job, ping] = (await claimDue(endpoint)).sort((a, b) => a.type.localeCompare(b.type))
  const changed = await changeEndpoint(store, { ...endpoint, url: 'https://receiver.example/other', by })
  expect(changed).toMatchObject({ ok: true, endpoint: { provenAt: null } })
  await record(ping!, accepted)
  await record(job!, refused)
  expect(await endpointOf(endpoint)).toMatchObject({ provenAt: null })
  expect(await redeliverRange(store.database, { ...endpoint, since: '2026-01-01T00:00:00.000Z' })).toEqual({
    ok: true,
    count: 1,
  })
  expect((await listed(endpoint)).find(({ type }) => type === JOB)).toMatchObject({
    ...{ status: 'held', nextAttemptAt: null },
  })
  const claimed = await claimDue(endpoint)
  expect(claimed.map(({ type, url }) => [type, url])).toEqual([[TEST, 'https://receiver.example/other']])
  await record(claimed[0]!, accepted)
  expect((await claimDue(endpoint)).map(({ type }) => type)).toEqual([JOB])
})

test('a change that leaves the URL as it is leaves the proof', async () => {
  const endpoint = await store.endpoint(owner)
  const { provenAt } = await endpointOf(endpoint)
  const same = await changeEndpoint(store, { ...endpoint, url: endpoint.url, payload: 'thin', by })
  expect(same).toMatchObject({ ok: true, endpoint: { provenAt, payload: 'thin' } })
  expect(await listed(endpoint)).toEqual([])
})

test('what a process of an earlier release made pending is not claimed before the proof', async () => {
  const endpoint = await store.endpoint(owner, { isProven: false })
  await store.ended(owner)
  await store.database.execute(`UPDATE webhooks.delivery SET status = 'pending' WHERE endpoint_id = $1`, [
    endpoint.endpointId,
  ])
  expect((await claimDue(endpoint)).map(({ type }) => type)).toEqual([TEST])
})

describe('an unproven endpoint', () => {
  const age = (endpoint: WebhookEndpoint, type: string, interval: string) =>
    store.database.execute(
      `UPDATE webhooks.delivery SET created_at = now() - $3::interval WHERE endpoint_id = $1 AND type = $2`,
      [endpoint.endpointId, type, interval],
    )
  const tests = async (endpoint: WebhookEndpoint) =>
    (await listed(endpoint)).filter(({ type }) => type === TEST).length

  test('is asked again a day after a test message that was given up, and not before', async () => {
    const endpoint = await store.endpoint(owner, { isProven: false })
    await record((await claimDue(endpoint))[0]!, { kind: 'exhausted' })
    await testUnproven(store.database, 1_000)
    expect(await tests(endpoint)).toBe(1)
    await age(endpoint, TEST, '25 hours')
    await testUnproven(store.database, 1_000)
    await testUnproven(store.database, 1_000)
    expect(await tests(endpoint)).toBe(2)
  })

  test('is asked at once when a job ends for it, at most once a minute', async () => {
    const endpoint = await store.endpoint(owner, { isProven: false })
    await store.ended(owner)
    await testUnproven(store.database, 1_000)
    expect(await tests(endpoint)).toBe(1)
    await age(endpoint, TEST, '61 seconds')
    await testUnproven(store.database, 1_000)
    await testUnproven(store.database, 1_000)
    expect(await tests(endpoint)).toBe(2)
  })

  test('that is paused, and a proven one, are not asked', async () => {
    const paused = await store.endpoint(owner, { isProven: false })
    await changeEndpoint(store, { ...paused, status: 'disabled', by })
    const proven = await store.endpoint(owner)
    for (const endpoint of [paused, proven]) await age(endpoint, TEST, '25 hours')
    await testUnproven(store.database, 1_000)
    expect([await tests(paused), await tests(proven)]).toEqual([1, 0])
  })
})

test('whatever happens to an endpoint, no job is told to a URL that has not accepted a test, and none is lost', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom('end', 'end', 'pause', 'enable', 'redeliver', 'test', 'upkeep') }),
    fc.record({ do: fc.constant('url'), path: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('send'), accepts: fc.constantFrom('a', 'b', 'ab', 'abc', '') }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      owner = store.owner()
      const endpoint = await store.endpoint(owner, { isProven: false, url: 'https://receiver.example/a' })
      // The model: whether the present URL has accepted a test message since it was set.
      let [url, isProven] = ['https://receiver.example/a', false]
      const send = async (accepts: string): Promise<void> => {
        for (const delivery of await claimDue(endpoint)) {
          expect(delivery.url).toBe(url)
          if (delivery.type !== TEST) expect(isProven, `${delivery.type} to ${url}`).toBe(true)
          const accepting = accepts.includes(url.at(-1)!)
          await record(delivery, accepting ? accepted : refused)
          isProven ||= accepting && delivery.type === TEST
        }
      }
      const change = (to: { url?: string; status?: 'enabled' | 'disabled' }) =>
        changeEndpoint(store, { ...owner, endpointId: endpoint.endpointId, ...to, by })
      for (const one of steps) {
        if (one.do === 'end') await store.ended(owner)
        else if (one.do === 'pause') await change({ status: 'disabled' })
        else if (one.do === 'enable') await change({ status: 'enabled' })
        else if (one.do === 'redeliver')
          await redeliverRange(store.database, { ...endpoint, since: '2026-01-01T00:00:00.000Z' })
        else if (one.do === 'test') await sendTest(store.database, endpoint)
        else if (one.do === 'upkeep') await testUnproven(store.database, 1_000)
        else if ('path' in one) {
          const next = `https://receiver.example/${one.path}`
          isProven &&= next === url
          url = next
          await change({ url })
        } else if ('accepts' in one) await send(one.accepts)
        expect((await endpointOf(endpoint)).provenAt !== null).toBe(isProven)
      }
      await change({ status: 'enabled' })
      for (let round = 0; round < 4; round += 1) await send('abc')
      const left = (await listed(endpoint)).filter(
        ({ type, status }) => type === JOB && status !== 'delivered',
      )
      expect(left).toEqual([])
    }),
    { numRuns: 20 },
  )
})
