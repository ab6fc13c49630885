/** The endpoints of an account are told once of each screened transfer, as its first record decides it. */
import { readFileSync } from 'node:fs'
import {
  decidedEventId,
  reportExample,
  reportPartition,
  topicOf,
  type DomainEvent,
  type EventData,
  type Report,
} from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startInstallation, type Installation, type TestEndpoint } from './installation.js'
import { isSignedWith, startReceiver, type Receiver } from './receiver.js'

const golden = JSON.parse(
  readFileSync(new URL('../../../schemas/golden/ReportGenerated/1.json', import.meta.url), 'utf8'),
) as EventData['ReportGenerated']
const OWN = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
/** Of the interactive lane. */
const ID = '0000000000000100'
const TRANSFER: NonNullable<Report['transfer']> = {
  recommendation: 'reject',
  reasons: [{ code: 'counterparty_red', recommendation: 'reject' }],
  ...{ direction: 'incoming', own_address: OWN, transaction_hash: null, planned: true },
  asset: { symbol: 'USDT', contract: '0xdac17f958d2ee523a2206206994597c13d831ec7', is_known: true },
  ...{ amount: '250.5', amount_base_units: '250500000', value_usd: null, priced_on: null, funds: null },
  ledger: { status: 'planned', snapshot: null },
}

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

type Tenant = Pick<TestEndpoint, 'accountId' | 'livemode'>

async function append(
  event: Pick<DomainEvent, 'type' | 'data'>,
  of: Tenant,
  reportId: string,
): Promise<void> {
  const { codec, log } = installation
  const envelope = {
    ...{ id: decidedEventId(event.type, reportId), source: 'test', time: new Date().toISOString() },
    ...{ subject: reportId, correlationId: reportId, causationId: reportId },
  }
  const target = {
    ...{ topic: topicOf('ReportGenerated', of.livemode), key: reportId },
    partition: reportPartition(reportId),
  }
  await log.append('test', [codec.encode({ ...event, envelope } as DomainEvent, target)])
}

async function report(
  of: Tenant,
  { id = ID, transfer = TRANSFER }: { id?: string; transfer?: typeof TRANSFER | null } = {},
): Promise<void> {
  const { accountId, livemode } = of
  const generatedAt = new Date().toISOString()
  const document = { ...reportExample, report_id: id, livemode, ...(transfer === null ? {} : { transfer }) }
  const data = {
    ...{ ...golden, reportId: id, accountId, livemode, report: JSON.stringify(document), generatedAt },
    ...{ recommendation: transfer?.recommendation ?? null, jobId: null, jobIndex: null },
  }
  await append({ type: 'ReportGenerated', data }, of, id)
}

async function failure(of: Tenant, { id = ID, isTransfer = true } = {}): Promise<void> {
  const { accountId, livemode } = of
  const data: EventData['ScreeningFailed'] = {
    ...{ reportId: id, accountId, livemode, code: 'transfer_not_found', detail: 'Nobody has it.' },
    ...{ isTransfer, jobId: null, jobIndex: null, failedAt: new Date().toISOString() },
  }
  await append({ type: 'ScreeningFailed', data }, of, id)
}

async function allDelivered(endpoint: TestEndpoint, count: number): Promise<void> {
  await until(async () => {
    const deliveries = await installation.deliveries(endpoint)
    expect(deliveries.map(({ status }) => status)).toEqual(Array<string>(count).fill('delivered'))
  })
}

const bodiesAt = (path: string) =>
  receiver.received
    .filter((one) => one.path === path)
    .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown>; text: string })

test('a transfer is told once and signed, whole or thin, and to no other account and environment', async () => {
  await installation.dispatcher()
  const full = await installation.endpoint(`${receiver.url}/full`)
  const { accountId } = full
  const thin = await installation.endpoint(`${receiver.url}/thin`, { accountId, payload: 'thin' })
  await installation.endpoint(`${receiver.url}/other-account`)
  await installation.endpoint(`${receiver.url}/sandbox`, { accountId, livemode: false })
  await report(full)
  await report(full, { transfer: { ...TRANSFER, recommendation: 'allow' } })
  await report(full, { id: '0000000000000201' })
  await Promise.all([allDelivered(full, 2), allDelivered(thin, 2)])
  expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/full', '/thin']))
  expect(
    isSignedWith(
      receiver.received.find(({ path }) => path === '/full')!,
      full.secret,
    ),
  ).toBe(true)
  const summary = {
    ...{ transfer_id: ID, livemode: true, status: 'completed', recommendation: 'reject' },
    ...{ level: reportExample.risk.level, score: reportExample.risk.score, error: null },
    transfer_path: `/v1/transfers/${ID}`,
  }
  const told = bodiesAt('/full').find(({ data }) => data['transfer_id'] === ID)!
  expect(told).toMatchObject({
    type: 'transfer.screened',
    data: {
      ...summary,
      transfer: {
        ...{ transfer_id: ID, recommendation: 'reject', from: reportExample.address, to: OWN },
        ...{ amount: '250.5', counterparty: { report_id: ID } },
        reasons: [{ code: 'counterparty_red', text: 'The counterparty is red.' }],
      },
    },
  })
  expect(bodiesAt('/thin').find(({ data }) => data['transfer_id'] === ID)!.data).toEqual(summary)
})

test('one that could not be screened says why and recommends nothing, and the first outcome counts', async () => {
  await installation.dispatcher()
  const endpoint = await installation.endpoint(`${receiver.url}/own`)
  await failure(endpoint)
  await report(endpoint)
  await report(endpoint, { id: '0000000000000201' })
  await failure(endpoint, { id: '0000000000000201' })
  await allDelivered(endpoint, 2)
  expect(bodiesAt('/own').find(({ data }) => data['transfer_id'] === ID)!.data).toEqual({
    ...{ transfer_id: ID, livemode: true, status: 'failed', recommendation: null, level: null, score: null },
    error: { code: 'transfer_not_found', detail: 'Nobody has it.' },
    transfer_path: `/v1/transfers/${ID}`,
  })
})

test('of several outcomes that are read at once the first one counts', async () => {
  const endpoint = await installation.endpoint(`${receiver.url}/own`)
  const other = { id: '0000000000000201' }
  await report(endpoint)
  await report(endpoint, { transfer: { ...TRANSFER, recommendation: 'allow' } })
  await failure(endpoint, other)
  await report(endpoint, other)
  await installation.dispatcher()
  await allDelivered(endpoint, 2)
  const told = new Map(bodiesAt('/own').map(({ data }) => [data['transfer_id'], data]))
  expect(told.get(ID)).toMatchObject({ recommendation: 'reject', transfer: { recommendation: 'reject' } })
  expect(told.get(other.id)).toMatchObject({ status: 'failed', recommendation: null })
})

test('an address that was screened by itself is not told, nor is its failure', async () => {
  await installation.dispatcher()
  const endpoint = await installation.endpoint(`${receiver.url}/own`)
  await report(endpoint, { transfer: null })
  await failure(endpoint, { id: '0000000000000200', isTransfer: false })
  await report(endpoint, { id: '0000000000000300' })
  await allDelivered(endpoint, 1)
  expect(bodiesAt('/own')).toMatchObject([{ data: { transfer_id: '0000000000000300' } }])
})

test('a channel is told only if its endpoint names transfers, and an endpoint for other types is not', async () => {
  await installation.dispatcher()
  const full = await installation.endpoint(`${receiver.url}/full`)
  const { accountId } = full
  const channel = await installation.endpoint(`${receiver.url}/chosen`, {
    ...{ accountId, payload: 'slack', events: ['transfer.screened'] },
  })
  const others = await Promise.all([
    installation.endpoint(`${receiver.url}/channel`, { accountId, payload: 'slack' }),
    installation.endpoint(`${receiver.url}/jobs`, { accountId, events: ['bulk.completed'] }),
  ])
  await report(full)
  await failure(full, { id: '0000000000000201' })
  await Promise.all([allDelivered(full, 2), allDelivered(channel, 2)])
  const texts = bodiesAt('/chosen')
    .map(({ text }) => text)
    .sort()
  expect(texts).toEqual([
    `*ETH* 250.5 USDT from \`${reportExample.address}\`: *reject*, ${reportExample.risk.level} ${reportExample.risk.score}\nThe counterparty is red.\nReport ${ID}`,
    '*Transfer 0000000000000201*: *it was not screened*\ntransfer_not_found: Nobody has it.',
  ])
  for (const other of others) expect(await installation.deliveries(other)).toEqual([])
})

test.each(['before:webhooks.deliveries:1', 'after:webhooks.deliveries:1'])(
  'a dispatcher that dies %s leaves one delivery for each transfer',
  async (point) => {
    const endpoint = await installation.endpoint(receiver.url)
    for (const id of [ID, '0000000000000201', '0000000000000302']) await report(endpoint, { id })
    await installation.dispatcherDies(point)
    await installation.dispatcher()
    await allDelivered(endpoint, 3)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  },
)
