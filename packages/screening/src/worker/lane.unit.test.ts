import { noMetrics, type DomainEvent } from '@cupel/contracts'
import type { EventCodec, EventLog, LogRecord, NewRecord } from '@cupel/event-log'
import { Unhandleable } from '@cupel/projections'
import { until } from '@cupel/testkit'
import { beforeEach, describe, expect, test } from 'vitest'
import { createInstruments } from './instruments.js'
import { createLaneWork, type Decision, type Outcome, type Request, type RequestRecord } from './lane.js'

const NOW = '2026-11-21T12:00:00.000Z'
const INTERACTIVE = 'screening.screen.events.v1'

/** Values are JSON, so that a test can read the appended records. */
const codec = {
  encode: (event: DomainEvent, target: { topic: string; key: string; partition?: number }): NewRecord => ({
    ...target,
    value: Buffer.from(JSON.stringify(event)),
    headers: { ce_id: event.envelope.id, ce_type: event.type },
  }),
  decodeAs: (type: string, record: LogRecord) => {
    const event = JSON.parse(record.value!.toString()) as DomainEvent
    return event.type === type ? event : null
  },
} as unknown as EventCodec

let appended: NewRecord[]
let decide: (requests: readonly Request[]) => Promise<readonly (Decision | Promise<Decision>)[]>

beforeEach(() => {
  appended = []
  decide = (requests) =>
    Promise.resolve(requests.map((request) => ({ kind: 'report', event: reportOf(request) })))
})

const dwellsMs: number[] = []

const log = {
  append: (_at: string, records: readonly NewRecord[]) => {
    appended.push(...records)
    return Promise.resolve([])
  },
} as unknown as EventLog

const work = (lane: 'interactive' | 'bulk' = 'interactive') =>
  createLaneWork({
    ...{ lane, log, codec },
    instruments: createInstruments(noMetrics),
    now: () => new Date(NOW),
    onDwell: (dwellMs) => dwellsMs.push(dwellMs),
    decide: async (requests) => (await decide(requests)).map(async (decision) => await decision),
  })

/** Handles records as the consumer does, if all of them can be handled. */
async function handle(records: readonly LogRecord[], lane?: 'interactive' | 'bulk'): Promise<void> {
  const { read, decide, append } = work(lane)
  await append((await decide(records.map(read) as RequestRecord[])) as Outcome[])
}

function requestOf(reportId: string, over: Partial<Request['data']> = {}): Request {
  const data = {
    reportId,
    accountId: 'a1',
    livemode: true,
    requestedAt: NOW,
    answerByAt: '2026-11-21T12:00:05.000Z',
    stagesByAt: null,
    jobId: null,
    jobIndex: null,
    ...over,
  }
  const envelope = {
    id: `request-${reportId}`,
    source: 'cupel/api',
    time: NOW,
    subject: reportId,
    correlationId: 'c1',
    causationId: 'c1',
  }
  return { type: 'ScreenRequested', data, envelope } as Request
}

const reportOf = ({ data }: Request): DomainEvent<'ReportGenerated'> =>
  ({
    type: 'ReportGenerated',
    data: { reportId: data.reportId, livemode: data.livemode, level: 'grey' },
    envelope: { id: `report-${data.reportId}` },
  }) as DomainEvent<'ReportGenerated'>

const idOf = (n: number): string => n.toString(16).padStart(16, '0')

const recordOf = (offset: number, content: Request | string, topic = INTERACTIVE): LogRecord => {
  const isText = typeof content === 'string'
  const value = Buffer.from(isText ? content : JSON.stringify(content))
  return {
    topic,
    partition: 1,
    offset,
    key: isText ? idOf(offset) : content.data.reportId,
    value,
    headers: { ce_id: `request-${offset}` },
  }
}

const good = (offset: number): LogRecord => recordOf(offset, requestOf(idOf(offset)))
const inTopic = (topic: string): NewRecord[] => appended.filter((record) => record.topic === topic)

test('a request whose caller waits delays no other one, and leaves only its later report', async () => {
  let end: (decision: Decision) => void
  const later = new Promise<Decision>((resolve) => (end = resolve))
  const waits = requestOf(idOf(0))
  decide = async (requests) =>
    requests.map((request) => ({
      ...{ kind: 'report', event: reportOf(request) },
      ...(request.data.reportId === waits.data.reportId ? { later } : {}),
    }))
  let isAppended = false
  const handled = handle([recordOf(0, waits), good(1)]).then(() => (isAppended = true))
  await until(() => expect(appended.map(({ key }) => key)).toEqual([idOf(1)]))
  expect(isAppended).toBe(false)
  const report = reportOf(waits)
  end!({ kind: 'report', event: { ...report, data: { ...report.data, level: 'orange' } } })
  await handled
  expect(appended.map(({ key }) => key)).toEqual([idOf(1), idOf(0)])
  expect(JSON.parse(appended[1]!.value!.toString())).toMatchObject({ data: { level: 'orange' } })
})

describe('a request that waits for the ledger', () => {
  const waits = requestOf(idOf(0))
  let end: (decision: Decision) => void
  let fail: (error: Error) => void
  let calls: number

  beforeEach(() => {
    calls = 0
    decide = async (requests) =>
      requests.map((request) => {
        if (request.data.reportId !== waits.data.reportId) return { kind: 'report', event: reportOf(request) }
        calls += 1
        return new Promise((resolve, reject) => ([end, fail] = [resolve, reject]))
      })
  })

  test('delays no other one of its batch, nor the next batch', async () => {
    const { read, decide: decideRecords, append } = work()
    const readings = [recordOf(0, waits), good(1)].map(read) as RequestRecord[]
    const appending = append((await decideRecords(readings)) as Outcome[])
    await until(() => expect(appended.map(({ key }) => key)).toEqual([idOf(1)]))
    end({ kind: 'report', event: reportOf(waits) })
    await appending
    expect(appended.map(({ key }) => key)).toEqual([idOf(1), idOf(0)])
  })

  test('and cannot be decided is read again, and dead-lettered then', async () => {
    const { read, decide: decideRecords, append } = work()
    const reading = read(recordOf(0, waits)) as RequestRecord
    const appending = append((await decideRecords([reading])) as Outcome[])
    end({ kind: 'undecidable', cause: 'no rule' })
    await expect(appending).rejects.toThrow('no rule')
    const again = decideRecords([reading])
    await until(() => expect(calls).toBe(2))
    // Longer than others wait for it.
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setTimeout(resolve))
    end({ kind: 'undecidable', cause: 'no rule' })
    expect(await again).toEqual([expect.any(Unhandleable)])
    expect(appended).toEqual([])
  })

  test('and whose decision fails is read again, and its batch waits for it then', async () => {
    const { read, decide: decideRecords, append } = work()
    const reading = read(recordOf(0, waits)) as RequestRecord
    const appending = append((await decideRecords([reading])) as Outcome[])
    fail(new Error('no database'))
    await expect(appending).rejects.toThrow('no database')
    const again = decideRecords([reading])
    await until(() => expect(calls).toBe(2))
    fail(new Error('no database'))
    await expect(again).rejects.toThrow('no database')
    expect(appended).toEqual([])
  })
})

test.each<[string, Decision, object]>([
  [
    'report that comes later',
    { kind: 'report', event: reportOf(requestOf(idOf(0))) },
    { type: 'ReportGenerated' },
  ],
  [
    'refusal that comes later',
    { kind: 'refused', code: 'transfer_not_found', detail: 'none' },
    { type: 'ScreeningFailed', data: { code: 'transfer_not_found', isTransfer: true } },
  ],
  [
    'first refusal, if nothing later can be decided',
    { kind: 'undecidable', cause: 'x' },
    { type: 'ScreeningFailed', data: { code: 'unavailable', isTransfer: true } },
  ],
])('a transfer whose caller waits for its transaction leaves only the %s', async (_, last, expected) => {
  decide = async () => [
    { kind: 'refused', code: 'unavailable', detail: 'late', later: Promise.resolve(last) },
  ]
  await handle([recordOf(0, requestOf(idOf(0), { transfer: {} as Request['data']['transfer'] }))])
  expect(appended.map(({ value }) => JSON.parse(value.toString()) as object)).toMatchObject([expected])
})

describe('a decided request', () => {
  test('becomes a record in the partition that its id names', async () => {
    const reportId = '00000000000000a7'
    await handle([recordOf(7, requestOf(reportId))])
    expect(appended).toMatchObject([
      { topic: 'screening.report.events.v1', partition: 0xa7 % 16, key: reportId },
    ])
  })

  test('of the sandbox goes to the sandbox', async () => {
    const topic = `sandbox.${INTERACTIVE}`
    await handle([recordOf(0, requestOf(idOf(1), { livemode: false }), topic)])
    expect(appended.map((record) => record.topic)).toEqual(['sandbox.screening.report.events.v1'])
  })
})

test('each interactive request tells how long it waited, an overdue one too, and one of a bulk job does not', async () => {
  const old = requestOf(idOf(1), {
    requestedAt: '2026-11-21T11:59:59.000Z',
    answerByAt: '2026-11-21T11:59:59.999Z',
  })
  dwellsMs.length = 0
  await handle([recordOf(0, old), good(2)])
  expect(dwellsMs).toEqual([1_000, 0])
  await handle([{ ...recordOf(0, old), topic: 'screening.bulk-screen.events.v1' }], 'bulk')
  expect(dwellsMs).toHaveLength(2)
})

describe('an overdue request', () => {
  const overdue = recordOf(0, requestOf(idOf(1), { answerByAt: '2026-11-21T11:59:59.999Z' }))

  test('goes to the bulk lane byte for byte and is not decided in front of others', async () => {
    await handle([overdue, good(2)])
    expect(inTopic('screening.bulk-screen.events.v1')).toEqual([
      {
        topic: 'screening.bulk-screen.events.v1',
        key: overdue.key,
        value: overdue.value,
        headers: overdue.headers,
      },
    ])
    expect(inTopic('screening.report.events.v1').map(({ key }) => key)).toEqual([idOf(2)])
  })

  test('of the sandbox stays in the sandbox', async () => {
    const topic = `sandbox.${INTERACTIVE}`
    const request = requestOf(idOf(1), { livemode: false, answerByAt: '2026-11-21T11:59:59.999Z' })
    await handle([recordOf(0, request, topic)])
    expect(appended.map((record) => record.topic)).toEqual(['sandbox.screening.bulk-screen.events.v1'])
  })

  test('is decided on the bulk lane, however late', async () => {
    await handle([{ ...overdue, topic: 'screening.bulk-screen.events.v1' }], 'bulk')
    expect(appended.map((record) => record.topic)).toEqual(['screening.report.events.v1'])
  })
})

describe('a request that cannot be decided', () => {
  test('fails its screening in the partition of its report', async () => {
    const { append, outcomeOf } = work()
    await append([outcomeOf(recordOf(5, 'not an event'))])
    expect(appended).toMatchObject([
      {
        topic: 'screening.report.events.v1',
        partition: 5,
        key: idOf(5),
        headers: { ce_type: 'ScreeningFailed' },
      },
    ])
  })

  test('without a report id as its key fails no screening', async () => {
    const { append, outcomeOf } = work()
    await append([outcomeOf({ ...recordOf(0, 'not an event'), key: 'no id' })])
    expect(appended).toEqual([])
  })

  test.each([
    ['asks for another report than its key names', { ...good(0), key: idOf(99) }],
    ['is of the sandbox in a live topic', recordOf(0, requestOf(idOf(0), { livemode: false }))],
    ['is refused by the decision', recordOf(0, requestOf(idOf(0), { address: 'refuse' }))],
    ['makes a report too large for a record', recordOf(0, requestOf(idOf(0), { address: 'large' }))],
  ])('because it %s is dead-lettered, and its screening fails for its account', async (_, record) => {
    decide = (requests) =>
      Promise.resolve(
        requests.map((request): Decision => {
          const { address } = request.data
          if (address === 'refuse') return { kind: 'undecidable', cause: 'no' }
          const event = reportOf(request)
          const report = address === 'large' ? 'x'.repeat(2_000_000) : ''
          return { kind: 'report', event: { ...event, data: { ...event.data, report } } }
        }),
      )
    const { read, decide: decideRecords } = work()
    const reading = read(record)
    const [outcome] = reading instanceof Unhandleable ? [reading] : await decideRecords([reading])
    expect(outcome).toBeInstanceOf(Unhandleable)
    expect((outcome as Unhandleable<Outcome>).outcome).toMatchObject({
      kind: 'failed',
      request: { data: { accountId: 'a1' } },
    })
  })

  test('because it is another event, or cannot be decoded, makes the reading fail', () => {
    expect(() => work().read(recordOf(0, 'not an event'))).toThrow(SyntaxError)
    const other = { ...requestOf(idOf(0)), type: 'ScreeningFailed' } as unknown as Request
    expect(() => work().read(recordOf(0, other))).toThrow('not a ScreenRequested')
  })
})

test('a decision that rejects blames no request: nothing is appended', async () => {
  decide = () => Promise.reject(new Error('no database'))
  await expect(handle([good(0)])).rejects.toThrow('no database')
  expect(appended).toEqual([])
})
