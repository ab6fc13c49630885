import {
  noMetrics,
  reportPartition,
  requestedEventId,
  screenTopic,
  silentLogger,
  topicOf,
  type DomainEvent,
} from '@cupel/contracts'
import { builtInRegistry, type EventCodec, type EventLog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { outboxBacklog, startOutboxRelay } from '@cupel/projections'
import { createTestDatabase, until } from '@cupel/testkit'
import { openTestLog, TEST_RECORD_KEYS_FILE } from '@cupel/testkit/installation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContext, CommandError } from '@cupel/command-line'
import { createProgram } from '../../src/program.js'
import { prepareDatabase, prepareLog } from '@cupel/command-line/installation'

let databaseUrl: string
let log: EventLog
let codec: EventCodec
let relayed: () => Promise<void>
let stop: () => Promise<void>

beforeAll(async () => {
  const testDatabase = await createTestDatabase()
  databaseUrl = testDatabase.connectionString
  const database = openDatabase({ connectionString: databaseUrl, maxConnections: 8, applicationName: 'test' })
  await prepareDatabase(database, silentLogger)
  log = await openTestLog(database)
  codec = await prepareLog({ database, registry: builtInRegistry(database), log, logger: silentLogger })
  const relay = startOutboxRelay({ database, log, codec, logger: silentLogger, metrics: noMetrics })
  relayed = () => until(async () => expect((await outboxBacklog(database)).waiting).toBe(0))
  stop = async () => {
    await relay.stop()
    await log.close()
    await database.close()
    await testDatabase.drop()
  }
})
afterAll(async () => await stop())

async function cupel(...args: string[]): Promise<string> {
  const out: string[] = []
  const context = {
    ...createContext(
      {
        ...{ CUPEL_DATABASE_URL: databaseUrl, CUPEL_LOG: 'embedded' },
        CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE,
      },
      args,
    ),
    print: (text: string) => void out.push(text),
    note: () => undefined,
  }
  const program = await createProgram(context, args)
  await program.parseAsync(args, { from: 'user' })
  return out.join('\n')
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { at: string; event_id: string; type: string; data: object })

async function audited(accountId: string, at: string): Promise<DomainEvent> {
  const id = requestedEventId()
  const event: DomainEvent = {
    type: 'ApiRequestAudited',
    data: {
      accountId,
      environment: accountId === '' ? '' : 'test',
      livemode: accountId === '',
      keyId: '',
      scope: '',
      clientAddress: '203.0.113.9',
      method: 'GET',
      route: '/v1/reports/{report_id}',
      status: 401,
      code: 'invalid_key',
      refusedBecause: 'unknown_key',
      requestId: id,
      subjectIds: [],
      latencyMs: 1,
      at,
      actor: '',
    },
    envelope: { id, source: 'test', time: at, subject: '', correlationId: id, causationId: id },
  }
  const record = codec.encode(event, { topic: topicOf(event.type, accountId === ''), key: accountId })
  await log.append('test', [record, record])
  return event
}

test('the export tells, oldest first and once each, what was done with keys and by whom', async () => {
  const account = JSON.parse(await cupel('accounts', 'create', 'Audited Ltd', '--json')) as {
    account_id: string
  }
  const order = ['--account', account.account_id, '--scope', 'read-only', '--plan', 'pro', '--json']
  const key = JSON.parse(await cupel('keys', 'create', ...order)) as { key: string; key_id: string }
  await cupel('keys', 'revoke', key.key_id, '--reason', 'it was printed')
  await relayed()
  const call = await audited(account.account_id, '2020-01-01T00:00:00.000Z')
  const stranger = await audited('', '2020-01-02T00:00:00.000Z')

  const text = await cupel('audit', 'export')
  const lines = linesOf(text)
  expect(lines.map(({ type }) => type)).toEqual([
    'ApiRequestAudited',
    'ApiRequestAudited',
    'AccountCreated',
    'ApiKeyIssued',
    'ApiKeyRevoked',
  ])
  expect(lines.slice(0, 2).map(({ event_id }) => event_id)).toEqual([call.envelope.id, stranger.envelope.id])
  expect(lines[0]!.data).toMatchObject({ client_address: '203.0.113.9', subject_ids: [], livemode: false })
  expect(lines[4]!.data).toMatchObject({ reason: 'it was printed', revoked_by: expect.stringMatching(/./) })
  expect(text).not.toContain(key.key)

  const own = linesOf(
    await cupel('audit', 'export', '--account', account.account_id, '--since', '2020-01-02'),
  )
  expect(own.map(({ type }) => type)).toEqual(['AccountCreated', 'ApiKeyIssued', 'ApiKeyRevoked'])
  expect(linesOf(await cupel('audit', 'export', '--until', '2020-01-02', '--json'))).toHaveLength(1)
})

test('an invalid date is refused before anything is read', async () => {
  await expect(cupel('audit', 'export', '--since', 'yesterday')).rejects.toThrow(CommandError)
})

describe('a call that another event records', () => {
  const RECEIVED = '2021-01-01T00:00:00.000Z'
  const DECIDED = '2021-01-01T00:00:00.007Z'
  const owner = { accountId: 'acc_recorded', livemode: true }

  const append = async (
    type: DomainEvent['type'],
    key: string,
    time: string,
    data: object,
  ): Promise<void> => {
    const envelope = { id: requestedEventId(), source: 'test', time, subject: key }
    const event = { type, data, envelope: { ...envelope, correlationId: 'c', causationId: 'c' } }
    const partition = type === 'ScreeningFailed' ? { partition: reportPartition(key) } : {}
    const target = { topic: topicOf(type), key, ...partition }
    await log.append('test', [codec.encode(event as DomainEvent, target)])
  }
  const screened = (requestId: string, reportId: string) =>
    append('ScreenRequested', reportId, RECEIVED, {
      ...{ reportId, ...owner, address: 'a', canonicalAddress: 'a', chain: 'BTC', candidateChains: [] },
      ...{ customerReference: null, lane: 'interactive', answerByAt: null, requestedAt: RECEIVED },
      ...{ reportUrl: '', jobId: null, jobIndex: null },
      call: {
        ...{ requestId, keyId: 'k', scope: 'read-write', clientAddress: '203.0.113.9' },
        ...{ method: 'POST', route: '/v1/screen', status: 200, at: RECEIVED },
      },
    })
  const failed = (reportId: string) =>
    append('ScreeningFailed', reportId, DECIDED, {
      ...{
        reportId,
        ...owner,
        code: 'screening_failed',
        detail: '',
        isTransfer: false,
        jobId: null,
        jobIndex: null,
      },
      failedAt: DECIDED,
    })
  const recorded = (requestId: string) =>
    append('ApiRequestAudited', owner.accountId, RECEIVED, {
      ...{ ...owner, environment: 'live', keyId: 'k', scope: 'read-write', clientAddress: '203.0.113.9' },
      ...{ method: 'POST', route: '/v1/screen', status: 503, code: 'screening_timeout', refusedBecause: '' },
      ...{ requestId, subjectIds: [], latencyMs: 5_000, at: RECEIVED },
    })

  test('is exported as every other call, once its outcome is in the log, unless a record of its own says more', async () => {
    const poison = { topic: screenTopic('interactive'), key: 'x', value: Buffer.from('not an event') }
    await log.append('test', [{ ...poison, headers: { ce_type: 'ScreenRequested', ce_time: RECEIVED } }])
    const [ended, late, waiting] = [requestedEventId(), requestedEventId(), requestedEventId()]
    const [one, two, three] = ['00000000000000a0', '00000000000000a1', '00000000000000a2']
    await failed(one)
    await screened(ended, one)
    await screened(ended, one)
    await screened(late, two)
    await failed(two)
    await screened(waiting, three)
    await recorded(late)
    const lines = linesOf(await cupel('audit', 'export', '--account', owner.accountId))
    expect(lines.map(({ data }) => data)).toMatchObject([
      { request_id: late, status: 503, code: 'screening_timeout', latency_ms: 5_000 },
      { request_id: ended, status: 500, code: 'screening_failed', latency_ms: 7, subject_ids: [one] },
    ])
    expect(Object.keys(lines[1]!.data)).toEqual(Object.keys(lines[0]!.data))
    expect(lines[1]).toMatchObject({ at: RECEIVED, event_id: ended, type: 'ApiRequestAudited' })
    await failed(three)
    const later = linesOf(await cupel('audit', 'export', '--account', owner.accountId))
    expect(later.map(({ event_id }) => event_id)).toContain(waiting)
  })
})
