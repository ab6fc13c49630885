/** Transfers screened by every real service. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { reportPartition, topicOf, type EventData, type EventType } from '@cupel/contracts'
import { compiledDefaultPolicy, differences, recompute } from '@cupel/domain'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

const OWN = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
const STRANGER = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const magic = (suffix: string): string => `0xc0be1${suffix.padStart(35, '0')}`

interface Transfer {
  readonly transfer_id: string
  readonly recommendation: string
  readonly level: string
  readonly reasons: readonly { readonly code: string }[]
}

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation({ settings: { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' } })
})
afterAll(() => installation.close())

async function screened(key: string, from: string, changes: object = {}): Promise<Transfer> {
  const body = { chain: 'ETH', direction: 'incoming', from, to: OWN, asset: 'ETH', amount: '1.5', ...changes }
  const reply = await installation.call('POST', '/v1/transfers', { key, body })
  expect(reply.status, reply.text).toBe(200)
  return reply.json<Transfer>()
}
const codesOf = ({ reasons }: Transfer): readonly string[] => reasons.map(({ code }) => code)

test('each level of the sandbox has the recommendation of the default policy', async () => {
  const { key } = await installation.key({ environment: 'test' })
  const told = async (suffix: string) => {
    const transfer = await screened(key, magic(suffix))
    return [transfer.level, transfer.recommendation, codesOf(transfer)]
  }
  expect(await told('01')).toEqual(['green', 'allow', ['counterparty_green']])
  expect(await told('02')).toEqual(['grey', 'review', ['counterparty_grey']])
  expect(await told('03')).toEqual(['orange', 'review', ['counterparty_orange']])
  expect(await told('04')).toEqual(['red', 'reject', ['counterparty_red']])
})

test('an installation without lists allows nothing, and its record is decided again byte for byte', async () => {
  const { key } = await installation.key()
  const transfer = await screened(key, STRANGER, { amount: '0' })
  expect(transfer).toMatchObject({ recommendation: 'review', level: 'grey' })
  expect(codesOf(transfer)).toEqual([
    'counterparty_grey',
    'lists_not_complete',
    'score_is_lower_bound',
    'zero_amount',
  ])
  const get = await installation.call('GET', `/v1/transfers/${transfer.transfer_id}`, { key })
  expect(get.json()).toEqual(transfer)
  await until(async () => {
    const list = await installation.call('GET', '/v1/transfers?recommendation=review', { key })
    expect(list.json()).toEqual({ items: [transfer], next_page_token: null })
  })
  const [recorded] = await recordsOf('ReportGenerated', reportPartition(transfer.transfer_id))
  const states = await recordsOf('LabelStateRecorded', 0)
  const labelState = states.find(({ sha256 }) => sha256 === recorded!.inputs.labelStateSha256)
  expect(recorded).toMatchObject({ recommendation: 'review', transfer: { amount: '0', seen: 'planned' } })
  const policyDocument = compiledDefaultPolicy.canonical
  const again = recompute(recorded!, { labelState: labelState!, policyDocument })
  expect(differences(recorded, again)).toEqual([])
})

/** Accepts every message. */
async function startReceiver() {
  const messages: { readonly type: string; readonly data: { readonly transfer?: object } }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      messages.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof messages)[number])
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('an endpoint gets a transfer as the API returns it, with the reference of the account', async () => {
  const { key } = await installation.key()
  const receiver = await startReceiver()
  const body = { url: receiver.url, events: ['transfer.screened'] }
  const made = await installation.call('POST', '/v1/webhook-endpoints', { key, body })
  expect(made.status, made.text).toBe(201)
  const transfer = await screened(key, STRANGER, { reference: 'deposit 4711' })
  const told = await until(() => {
    const found = receiver.messages.filter(({ type }) => type === 'transfer.screened')
    expect(found).toHaveLength(1)
    return found[0]!
  })
  expect(transfer).toMatchObject({ reference: 'deposit 4711' })
  expect(told.data.transfer).toEqual(transfer)
  receiver.close()
})

async function recordsOf<T extends EventType>(type: T, partition: number): Promise<EventData[T][]> {
  const { log, codec } = installation.deps
  const place = { topic: topicOf(type, true), partition }
  const found: EventData[T][] = []
  for await (const records of log.read({
    ...place,
    from: 0,
    to: await log.endOffset(place.topic, partition),
  }))
    for (const record of records) found.push(codec.decodeAs(type, record)!.data)
  return found
}
