/** The endpoints of an account get a changed report of a watched address once. */
import { decidedEventId, topicOf, type DomainEvent, type EventData } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'
import { isSignedWith, startReceiver, type Receiver } from './receiver.js'

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

interface Tenant {
  readonly accountId: string
  readonly livemode: boolean
}

/** Appends the change; the same number means the same change. */
async function change({ accountId, livemode }: Tenant, number = 1): Promise<void> {
  const { codec, log } = installation
  const changedAt = new Date().toISOString()
  const data: EventData['ReportChanged'] = {
    ...{
      watchId: `wat_${number}`,
      accountId,
      livemode,
      address: '0xA',
      canonicalAddress: '0xa',
      chain: 'ETH',
    },
    ...{ reference: 'R', previousReportId: '00', previousLevel: 'green', previousScore: 0 },
    ...{ reportId: '08', level: 'red', score: 100, causes: ['labels'], changedAt },
    split: { labels: 100.5, funds: 0, policy: -0.25, scorer: 0, time: -0.25, notExamined: 0 },
    splitMissing: null,
    why: 'the owner is X (sanctions)',
    reasons: [{ code: 'partial', text: 'Import the rest.' }],
  }
  const id = decidedEventId('ReportChanged', data.watchId, data.reportId)
  const envelope = { id, source: 'test', time: changedAt, subject: id, correlationId: id, causationId: id }
  const event = { type: 'ReportChanged', data, envelope } as DomainEvent
  await log.append('test', [
    codec.encode(event, { topic: topicOf('ReportChanged', livemode), key: accountId }),
  ])
}

/** Appends the digest of this day; the same day means the same digest. */
async function digest({ accountId, livemode }: Tenant, day: string): Promise<void> {
  const { codec, log } = installation
  const until = new Date().toISOString()
  const data: EventData['WatchesDigested'] = {
    ...{ accountId, livemode, day, from: until, until, watched: 7, changed: 2, unchanged: 3, undecided: 1 },
    ...{ unknown: 1, failing: 1 },
    changes: [
      {
        ...{ watchId: 'wat_1', address: '0xA', chain: 'ETH', previousReportId: '00', previousLevel: 'green' },
        ...{ previousScore: 0, reportId: '08', level: 'red', score: 100 },
      },
    ],
    failures: [{ watchId: 'wat_2', address: '0xB', chain: 'BSC', failures: 5 }],
  }
  const id = decidedEventId('WatchesDigested', accountId, String(livemode), day)
  const envelope = { id, source: 'test', time: until, subject: id, correlationId: id, causationId: id }
  const event = { type: 'WatchesDigested', data, envelope } as DomainEvent
  await log.append('test', [
    codec.encode(event, { topic: topicOf('WatchesDigested', livemode), key: accountId }),
  ])
}

async function allDelivered(
  endpoint: Parameters<Installation['deliveries']>[0],
  count: number,
): Promise<void> {
  await until(async () => {
    const deliveries = await installation.deliveries(endpoint)
    expect(deliveries.map(({ status }) => status)).toEqual(Array<string>(count).fill('delivered'))
  })
}

test('it is signed, says both reports, and reaches no other account and no other environment', async () => {
  await installation.dispatcher()
  const endpoint = await installation.endpoint(`${receiver.url}/own`)
  await installation.endpoint(`${receiver.url}/other-account`)
  await installation.endpoint(`${receiver.url}/sandbox`, { accountId: endpoint.accountId, livemode: false })
  await change(endpoint)
  await change(endpoint)
  await allDelivered(endpoint, 1)
  expect(receiver.received.map(({ path }) => path)).toEqual(['/own'])
  expect(isSignedWith(receiver.received[0]!, endpoint.secret)).toBe(true)
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
    type: 'report.changed',
    data: {
      ...{ watch_id: 'wat_1', address: '0xA', chain: 'ETH', reference: 'R' },
      previous: { report_id: '00', level: 'green', score: 0 },
      current: { report_id: '08', level: 'red', score: 100 },
      why: 'the owner is X (sanctions)',
      reasons: [{ code: 'partial', text: 'Import the rest.' }],
      causes: ['labels'],
      split: { labels: 100.5, funds: 0, policy: -0.25, scorer: 0, time: -0.25, not_examined: 0 },
      split_missing: null,
    },
  })
  expect(await installation.deliveries(endpoint)).toMatchObject([{ type: 'report.changed', jobId: null }])
})

test('a digest is delivered once, and says where the changes are that it does not list', async () => {
  await installation.dispatcher()
  const endpoint = await installation.endpoint(receiver.url)
  await digest(endpoint, '2026-11-25')
  await digest(endpoint, '2026-11-25')
  await digest(endpoint, '2026-11-26')
  await allDelivered(endpoint, 2)
  const bodies = receiver.received.map(({ body }) => JSON.parse(body) as { data: { day: string } })
  expect(bodies.map(({ data }) => data.day).sort()).toEqual(['2026-11-25', '2026-11-26'])
  expect(bodies.find(({ data }) => data.day === '2026-11-25')).toMatchObject({
    type: 'watches.digest',
    data: {
      ...{ watched: 7, changed: 2, unchanged: 3, undecided: 1, unknown: 1, failing: 1 },
      changes: [
        {
          ...{ watch_id: 'wat_1', address: '0xA', chain: 'ETH' },
          previous: { report_id: '00', level: 'green', score: 0 },
          current: { report_id: '08', level: 'red', score: 100 },
        },
      ],
      more: '/v1/watches?changed_in=2026-11-25',
      failures: [{ watch_id: 'wat_2', address: '0xB', chain: 'BSC', failures: 5 }],
    },
  })
})

test('an endpoint for Slack gets a text, from its proof on, and the other endpoints of the account what they got before', async () => {
  await installation.dispatcher()
  const full = await installation.endpoint(`${receiver.url}/full`)
  const { accountId } = full
  const slack = { accountId, payload: 'slack', isProven: false } as const
  const channel = await installation.endpoint(`${receiver.url}/slack`, slack)
  await change(full)
  await digest(full, '2026-11-25')
  await allDelivered(full, 2)
  await allDelivered(channel, 3)
  const bodiesAt = (path: string) =>
    receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as object)
  expect(bodiesAt('/full').map((body) => Object.keys(body))).toEqual([
    ['type', 'timestamp', 'data'],
    ['type', 'timestamp', 'data'],
  ])
  const texts = bodiesAt('/slack').map((body) => (body as { text: string }).text)
  expect(texts[0]).toContain(channel.endpointId)
  expect(texts.slice(1).sort()).toEqual([
    expect.stringContaining(
      '*ETH* `0xA`: green 0 → *red 100*\n+100 points: labels +100.5, policy -0.25, time -0.25',
    ) as string,
    expect.stringContaining(
      '*Watches on 2026-11-25*: 7 addresses are watched: 2 changed, 3 did not.',
    ) as string,
  ])
})

test.each(['before:webhooks.deliveries:1', 'after:webhooks.deliveries:1'])(
  'a dispatcher that dies %s leaves one delivery for each change',
  async (point) => {
    const endpoint = await installation.endpoint(receiver.url)
    for (let number = 1; number <= 3; number += 1) await change(endpoint, number)
    await installation.dispatcherDies(point)
    await installation.dispatcher()
    await allDelivered(endpoint, 3)
    const bodies = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]))
    expect(bodies.size).toBe(3)
  },
)

test('while its endpoint is not proven it is held, and sent once the endpoint is', async () => {
  await installation.dispatcher()
  const endpoint = await installation.endpoint(receiver.url, { isProven: false })
  await change(endpoint)
  await until(async () => {
    const changes = (await installation.deliveries(endpoint)).filter(({ type }) => type === 'report.changed')
    expect(changes).toMatchObject([{ status: 'delivered' }])
  })
})
