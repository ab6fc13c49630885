/** A sender rests until the next delivery falls due, so the time that a claim returns must never be later than that. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { releaseClaims } from '../src/index.js'
import { openStore, type TestStore } from './store.js'

let store: TestStore
beforeEach(async () => {
  store = await openStore()
})
afterEach(() => store.close())

test('a claim that takes nothing tells when the next delivery falls due, of all endpoints that are not closed', async () => {
  const owner = store.owner()
  expect(await store.nextDueInMs()).toBeNull()
  const [one, other] = [await store.endpoint(owner), await store.endpoint(owner)]
  await store.ended(owner)
  const claimed = await store.claim({ leaseMs: 0 })
  expect(claimed).toHaveLength(2)
  const of = (endpointId: string) => claimed.filter((delivery) => delivery.endpointId === endpointId)
  await releaseClaims(store.database, of(one.endpointId), 300_000)
  await releaseClaims(store.database, of(other.endpointId), 600_000)
  const soon = (await store.nextDueInMs())!
  expect(soon).toBeGreaterThan(0)
  expect(soon).toBeLessThanOrEqual(300_000)
  const later = (await store.nextDueInMs({ closed: [one.endpointId] }))!
  expect(later).toBeGreaterThan(300_000)
  expect(later).toBeLessThanOrEqual(600_000)
  await store.database.execute('UPDATE webhooks.delivery SET due_at = now()')
  expect(await store.nextDueInMs({ limit: 0 })).toBeNull()
  expect(await store.claim()).toHaveLength(2)
})
