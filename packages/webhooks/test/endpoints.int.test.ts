import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listDeliveries,
  listEndpoints,
  MAX_ENDPOINTS,
  redeliver,
  redeliverRange,
  rotateEndpointSecret,
  sendTest,
} from '../src/index.js'
import { openStore, type TestStore } from './store.js'

let store: TestStore
beforeAll(async () => {
  store = await openStore()
})
afterAll(() => store.close())

const by = 'test'
const order = { url: 'https://receiver.example/hook?token=abc', by }

describe('an endpoint', () => {
  test('shows its secret only in the answer that creates it', async () => {
    const owner = store.owner()
    const made = await createEndpoint(store, { ...owner, ...order })
    if (!made.ok) throw new Error(made.code)
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const rotated = await rotateEndpointSecret(store, { ...owner, endpointId: made.endpoint.endpointId, by })
    if (!rotated.ok) throw new Error(rotated.code)
    expect(rotated.secret).not.toBe(made.secret)
    const [dump] = await store.database.query<{ text: string }>(
      `SELECT (SELECT string_agg(e::text || encode(sealed_secret, 'escape') || encode(sealed_previous_secret, 'escape'), '') FROM webhooks.endpoint e)
         || (SELECT string_agg(o::text, '') FROM projection.outbox o) AS text`,
    )
    for (const secret of [made.secret!, rotated.secret]) {
      expect(dump!.text).not.toContain(secret)
      expect(dump!.text).not.toContain(secret.slice(6))
      expect(dump!.text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })

  test('is in events without path, query or secret', async () => {
    const owner = store.owner()
    const made = await createEndpoint(store, { ...owner, ...order })
    if (!made.ok) throw new Error(made.code)
    const { endpointId } = made.endpoint
    await changeEndpoint(store, { ...owner, endpointId, payload: 'thin', by })
    await deleteEndpoint(store, { ...owner, endpointId, by })
    const own = (await store.events()).filter(({ data }) => data['endpointId'] === endpointId)
    expect(own.map(({ type }) => type)).toEqual([
      'WebhookEndpointCreated',
      'WebhookEndpointChanged',
      'WebhookEndpointDeleted',
    ])
    expect(own[0]!.data).toMatchObject({ origin: 'https://receiver.example', createdBy: by, payload: 'full' })
    expect(own[1]!.data).toMatchObject({ payload: 'thin', status: 'enabled' })
    expect(JSON.stringify(own)).not.toMatch(/token|hook\b/)
  })

  test('is refused on creation and change if its URL leads to an internal address', async () => {
    const owner = store.owner()
    const inside = { url: 'https://127.0.0.1/hook', by }
    expect(await createEndpoint(store, { ...owner, ...inside })).toMatchObject({
      ok: false,
      code: 'invalid_url',
    })
    const { endpointId } = await store.endpoint(owner)
    const changed = await changeEndpoint(store, { ...owner, endpointId, ...inside })
    expect(changed).toMatchObject({ ok: false, code: 'invalid_url' })
    expect(await getEndpoint(store.database, { ...owner, endpointId })).toMatchObject({
      url: 'https://receiver.example/hook',
    })
  })

  test('is one of at most ten, also where eleven are made at once', async () => {
    const owner = store.owner()
    const made = await Promise.all(
      Array.from({ length: MAX_ENDPOINTS + 1 }, () => createEndpoint(store, { ...owner, ...order })),
    )
    expect(made.filter(({ ok }) => ok)).toHaveLength(MAX_ENDPOINTS)
    expect(await listEndpoints(store.database, owner)).toHaveLength(MAX_ENDPOINTS)
    expect(await listEndpoints(store.database, { ...owner, livemode: false })).toEqual([])
  })

  test('of another account or environment is unknown, to every change', async () => {
    const owner = store.owner()
    const { endpointId } = await store.endpoint(owner)
    const jobId = await store.ended(owner)
    const [delivery] = (
      await listDeliveries(store.database, { ...owner, endpointId, pageSize: 10, after: null })
    ).items
    expect(delivery).toMatchObject({ jobId })
    const { deliveryId } = delivery!
    for (const stranger of [{ ...owner, livemode: false }, store.owner()]) {
      const foreign = { ...stranger, endpointId, by }
      expect(await getEndpoint(store.database, foreign)).toBeNull()
      expect(await changeEndpoint(store, { ...foreign, url: 'https://127.0.0.1/' })).toEqual(UNKNOWN)
      expect(await changeEndpoint(store, { ...foreign, status: 'disabled' })).toEqual(UNKNOWN)
      expect(await rotateEndpointSecret(store, foreign)).toEqual(UNKNOWN)
      expect(await deleteEndpoint(store, foreign)).toEqual(UNKNOWN)
      expect(await sendTest(store.database, foreign)).toEqual(UNKNOWN)
      expect(await redeliver(store.database, { ...foreign, deliveryId })).toEqual(UNKNOWN)
      expect(await redeliverRange(store.database, { ...foreign, since: '2026-01-01T00:00:00.000Z' })).toEqual(
        UNKNOWN,
      )
      expect((await listDeliveries(store.database, { ...foreign, pageSize: 10, after: null })).items).toEqual(
        [],
      )
    }
    expect(await getEndpoint(store.database, { ...owner, endpointId })).toMatchObject({ status: 'enabled' })
  })

  test('that is deleted loses its deliveries', async () => {
    const owner = store.owner()
    const { endpointId } = await store.endpoint(owner)
    await store.ended(owner)
    const ofIt = async () =>
      (await store.claim({ leaseMs: 0 })).filter((one) => one.endpointId === endpointId)
    expect(await ofIt()).toHaveLength(1)
    expect(await deleteEndpoint(store, { ...owner, endpointId, by })).toEqual({ ok: true })
    expect(await ofIt()).toEqual([])
  })
})

const UNKNOWN = { ok: false, code: 'unknown_endpoint' }
