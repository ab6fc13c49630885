/**
 * A dispatcher may die anywhere, also between sending and recording. Nothing is lost. A message that is sent twice has the same id and
 * the same bytes. A recorded message is not sent again.
 */
import { topicOf } from '@cupel/contracts'
import { listDeadLetters } from '@cupel/event-log'
import { until } from '@cupel/testkit'
import { diesAt } from '@cupel/testkit/installation'
import { createEndpoint, listEndpoints, redeliverRange } from '@cupel/webhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DISPATCHER_GROUP } from '@cupel/webhooks/worker'
import { startInstallation, type Installation } from './installation.js'
import { startReceiver, type Receiver } from './receiver.js'

let installation: Installation
let receiver: Receiver
beforeEach(async () => {
  installation = await startInstallation()
  receiver = await startReceiver()
})
afterEach(async () => {
  await installation.stop()
  await receiver.close()
})

const JOBS = 8
const sides = ['before', 'after'] as const
const dispatching = ['webhooks.deliveries', 'webhooks.body', 'webhooks.attempted'] as const

const dispatchKills = dispatching.flatMap((name) => sides.map((side) => `${side}:${name}`))

test.each(dispatchKills)(
  'a dispatcher that dies %s loses nothing, and repeats itself to the byte',
  async (point) => {
    const endpoint = await installation.endpoint(receiver.url)
    for (let job = 0; job < JOBS; job += 1) await installation.end(endpoint, `job_${job}`)
    await installation.dispatcherDies(`${point}:1`)
    const recorded = (await installation.deliveries(endpoint)).filter(({ status }) => status === 'delivered')
    const sentBefore = receiver.received.length
    await installation.dispatcher()
    await allDelivered(endpoint)
    expectRepeatsToBeEqual(receiver)
    // Messages recorded before the kill were not sent again after it.
    const sentAfter = new Set(receiver.received.slice(sentBefore).map(({ headers }) => headers['webhook-id']))
    for (const { webhookId } of recorded) expect(sentAfter).not.toContain(webhookId)
    if (point === 'before:webhooks.attempted') expect(receiver.received.length).toBeGreaterThan(JOBS)
  },
)

test.each(sides)(
  'a record that nobody can read is dead-lettered, also by a dispatcher that was killed %s that',
  async (side) => {
    const endpoint = await installation.endpoint(receiver.url)
    const topic = topicOf('BulkCompleted')
    const value = Buffer.from('nonsense')
    await installation.log.append('test', [
      { topic, key: 'job_broken', value, headers: { ce_type: 'BulkCompleted' } },
    ])
    await installation.dispatcherDies(`${side}:webhooks.dead-letter:1`)
    await installation.dispatcher()
    await installation.end(endpoint, 'job_1')
    await allDelivered(endpoint, 1)
    await until(async () => {
      const letters = await listDeadLetters(installation.log, DISPATCHER_GROUP)
      // A letter that was written before the kill is written once more.
      expect(letters.map(({ key }) => key)).toEqual(
        side === 'before' ? ['job_broken'] : ['job_broken', 'job_broken'],
      )
    })
  },
)

test.each(sides)('naming an endpoint is whole or not at all, killed %s it is stored', async (side) => {
  const owner = { accountId: 'acc_kills', livemode: true }
  const { connectionString, store } = installation
  await diesAt(connectionString, `${side}:webhooks.change:1`, async ({ database }) => {
    await createEndpoint({ ...store, database }, { ...owner, url: receiver.url, by: 'test' })
  })
  const named = await listEndpoints(installation.database, owner)
  const events = await installation.database.query('SELECT 1 FROM projection.outbox')
  expect([named.length, events.length]).toEqual(side === 'before' ? [0, 0] : [1, 1])
})

test.each(sides)(
  'asking for deliveries again is whole or not at all, killed %s it is stored',
  async (side) => {
    const endpoint = await installation.endpoint(receiver.url)
    const dispatcher = await installation.dispatcher()
    await installation.end(endpoint, 'job_1')
    await allDelivered(endpoint, 1)
    await dispatcher.stop()
    const range = { since: '2026-01-01T00:00:00.000Z', statuses: ['delivered', 'pending'] } as const
    const { accountId, endpointId, livemode } = endpoint
    await diesAt(installation.connectionString, `${side}:webhooks.redeliver:1`, async ({ database }) => {
      await redeliverRange(database, { accountId, endpointId, livemode, ...range })
    })
    expect(await installation.deliveries(endpoint)).toMatchObject([
      { status: side === 'before' ? 'delivered' : 'pending' },
    ])
  },
)

async function allDelivered(
  endpoint: Parameters<Installation['deliveries']>[0],
  atLeast = JOBS,
): Promise<void> {
  await until(async () => {
    const deliveries = await installation.deliveries(endpoint)
    expect(deliveries.length).toBeGreaterThanOrEqual(atLeast)
    expect(deliveries.filter(({ status }) => status !== 'delivered')).toEqual([])
  })
}

function expectRepeatsToBeEqual({ received }: Receiver): void {
  const bodies = new Map<string, string>()
  for (const { headers, body } of received) {
    const id = String(headers['webhook-id'])
    expect(bodies.get(id) ?? body, id).toBe(body)
    bodies.set(id, body)
  }
}
