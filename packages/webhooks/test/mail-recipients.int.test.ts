/** Recipients of e-mail in the tables: their links, and what a restore makes of the log's records of them. */
import type { ApiCall, EventData } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  changeEndpoint,
  confirmRecipient,
  createEndpoint,
  createMailLinks,
  getEndpoint,
  insertChangeDeliveries,
  listDeliveries,
  readMailState,
  unsubscribeRecipient,
  type Owner,
  type ReportChange,
} from '../src/index.js'
import { replayEndpointCreation, replayEndpointChange } from '../src/replay-webhooks.js'
import { openStore, type TestStore } from './store.js'

let store: TestStore
beforeAll(async () => {
  store = await openStore()
})
afterAll(() => store.close())

const call: ApiCall = {
  ...{ requestId: 'r', keyId: '', scope: '', clientAddress: '', method: 'POST', route: '/v1/email/{link}' },
  ...{ status: 200, at: '2026-11-21T09:00:00.000Z', actor: '' },
}
const recipient = async (owner: Owner) => {
  const made = await createEndpoint(store, { ...owner, by: 'test', url: 'mailto:risk@example.com' })
  if (!made.ok) throw new Error(made.code)
  return made.endpoint
}
const changed = (owner: Owner): ReportChange => ({
  ...{ ...owner, eventId: `event of ${owner.accountId}`, watchId: 'wat_1', address: '0xA', chain: 'ETH' },
  ...{ reference: null, why: '', reasons: [], causes: [], changedAt: new Date().toISOString() },
  previous: { reportId: '00', level: 'green', score: 0 },
  current: { reportId: '08', level: 'red', score: 100 },
  ...{ split: null, splitMissing: 'busy' },
})
const style = { reportPageUrl: 'https://x/', consoleUrl: null, isAddressInSubject: false }

test('a confirmation ends after seven days, and a link to unsubscribe never', () => {
  const links = createMailLinks(Buffer.alloc(32, 7))
  const endpoint = { endpointId: `we_${'1'.repeat(20)}`, url: 'mailto:a@example.com' }
  const day = 24 * 3_600_000
  const confirm = links.tokenOf('confirm', endpoint, 0)
  expect(links.purposeOf(confirm, endpoint, 7 * day - 1)).toBe('confirm')
  expect(links.purposeOf(confirm, endpoint, 7 * day)).toBeNull()
  expect(links.purposeOf(links.tokenOf('unsubscribe', endpoint, 0), endpoint, 9_999 * day)).toBe(
    'unsubscribe',
  )
  const other = createMailLinks(Buffer.alloc(32, 8))
  expect(other.purposeOf(confirm, endpoint, 0)).toBeNull()
})

test('a database without the recipient has it again as the log states, confirmed, and with its messages chosen', async () => {
  const owner = store.owner()
  const endpoint = await recipient(owner)
  await confirmRecipient(store.database, endpoint, call)
  const events = (await store.events()).filter(({ data }) => data['endpointId'] === endpoint.endpointId)
  expect(events.map(({ type }) => type)).toEqual(['WebhookEndpointCreated', 'WebhookEndpointChanged'])
  const before = await getEndpoint(store.database, { ...owner, endpointId: endpoint.endpointId })
  await store.database.execute('DELETE FROM webhooks.endpoint WHERE endpoint_id = $1', [endpoint.endpointId])
  const [made, confirmed] = events.map(({ data }) => data as unknown)
  await store.database.transaction({ at: 'restore.restored' }, async (transaction) => {
    expect(await replayEndpointCreation(transaction, made as EventData['WebhookEndpointCreated'])).toBe(
      'made',
    )
    await replayEndpointChange(transaction, confirmed as EventData['WebhookEndpointChanged'])
    expect(await replayEndpointCreation(transaction, made as EventData['WebhookEndpointCreated'])).toBe(
      'known',
    )
  })
  expect(await getEndpoint(store.database, { ...owner, endpointId: endpoint.endpointId })).toEqual(before)
})

test('unsubscribing ends what waits, and says so in the log; later changes make nothing', async () => {
  const owner = store.owner()
  const endpoint = await recipient(owner)
  const of = { ...owner, endpointId: endpoint.endpointId, pageSize: 10, after: null }
  await confirmRecipient(store.database, endpoint, call)
  await insertChangeDeliveries(store.database, [changed(owner)], style)
  expect((await listDeliveries(store.database, of)).items.map(({ status }) => status)).toEqual([
    'pending',
    'pending',
  ])
  await unsubscribeRecipient(store.database, endpoint, call)
  await unsubscribeRecipient(store.database, endpoint, call)
  await insertChangeDeliveries(store.database, [{ ...changed(owner), eventId: 'a later one' }], style)
  expect((await listDeliveries(store.database, of)).items.map(({ status }) => status)).toEqual([
    'exhausted',
    'exhausted',
  ])
  const told = (await store.events()).filter(({ data }) => data['endpointId'] === endpoint.endpointId)
  expect(told.filter(({ type }) => type === 'WebhookExhausted')).toHaveLength(2)
  expect(told.at(-1)).toMatchObject({
    type: 'WebhookEndpointChanged',
    data: { status: 'disabled', disabledReason: 'unsubscribed', provenAt: null, changedBy: 'recipient' },
  })
  expect((await readMailState(store.database)).givenUp).toBeGreaterThanOrEqual(2)
})

test('the link of an address that the endpoint does not have any more ends no messages', async () => {
  const owner = store.owner()
  const former = await recipient(owner)
  const { endpointId } = former
  const url = 'mailto:other@example.com'
  const moved = await changeEndpoint(store, { ...owner, endpointId, by: 'test', url })
  if (!moved.ok) throw new Error(moved.code)
  expect(await confirmRecipient(store.database, moved.endpoint, call)).toBe(true)
  await unsubscribeRecipient(store.database, former, call)
  expect(await getEndpoint(store.database, { ...owner, endpointId })).toMatchObject({ status: 'enabled' })
  await unsubscribeRecipient(store.database, moved.endpoint, call)
  expect(await getEndpoint(store.database, { ...owner, endpointId })).toMatchObject({ status: 'disabled' })
})
