import { noMetrics, silentLogger, type DomainEvent } from '@cupel/contracts'
import {
  UndecodableRecordError,
  type EventCodec,
  type EventLog,
  type LogBatch,
  type LogRecord,
  type NewRecord,
} from '@cupel/event-log'
import { beforeEach, describe, expect, test } from 'vitest'
import { createFailureWindow, TOLERATED_FAILURES } from './failure-window.js'
import { createInstruments } from './instruments.js'
import { createLane, PausedError, type Decision, type HandledRange, type Request } from './lane.js'

const NOW = '2026-11-21T12:00:00.000Z'
const INTERACTIVE = 'screening.screen.events.v1'

/** Values are JSON, so that a test can read what was appended; anything else is undecodable. */
const codec = {
  encode: (event: DomainEvent, target: { topic: string; key: string; partition?: number }): NewRecord => ({
    ...target,
    value: Buffer.from(JSON.stringify(event)),
    headers: { ce_id: event.envelope.id, ce_type: event.type },
  }),
  decodeAs: (type: string, record: LogRecord) => {
    if (record.value!.toString() === 'newer')
      throw new UndecodableRecordError('unknown-schema', record, 'schema 9')
    const event = JSON.parse(record.value!.toString()) as DomainEvent
    return event.type === type ? event : null
  },
} as unknown as EventCodec

let appended: NewRecord[]
let acknowledge: () => Promise<unknown>
const log = {
  append: (_at: string, records: readonly NewRecord[]) => {
    appended.push(...records)
    return acknowledge()
  },
} as unknown as EventLog

let done: HandledRange[]
let failed: HandledRange[]
let failures: ReturnType<typeof createFailureWindow>
let decide: (requests: readonly Request[]) => Promise<readonly Decision[]>
let refusal: string | null
let reachable: boolean
let now: Date

beforeEach(() => {
  appended = []
  acknowledge = () => Promise.resolve([])
  done = []
  failed = []
  failures = createFailureWindow()
  decide = (requests) =>
    Promise.resolve(requests.map((request) => ({ kind: 'report', event: reportOf(request) })))
  refusal = null
  reachable = true
  now = new Date(NOW)
})

const lane = (name: 'interactive' | 'bulk' = 'interactive') =>
  createLane({
    lane: name,
    group: `scorer.${name}.v1`,
    log,
    codec,
    logger: silentLogger,
    instruments: createInstruments(noMetrics),
    failures,
    now: () => now,
    decide: (requests) => decide(requests),
    refusal: () => refusal,
    reachable: () => reachable,
    progress: { done: (range) => done.push(range), failed: (range) => failed.push(range) },
  })

function requestOf(reportId: string, over: Partial<Request['data']> = {}): Request {
  const data = {
    reportId,
    accountId: 'a1',
    livemode: true,
    requestedAt: NOW,
    answerByAt: '2026-11-21T12:00:05.000Z',
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

const batchOf = (records: readonly LogRecord[], topic = INTERACTIVE): LogBatch => {
  const nextOffset = records.at(-1)!.offset + 1
  return { topic, partition: 1, records, firstOffset: records[0]!.offset, nextOffset, endOffset: nextOffset }
}

const good = (offset: number): LogRecord => recordOf(offset, requestOf(idOf(offset)))
const poison = (offset: number): LogRecord => recordOf(offset, 'not an event')
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const inTopic = (topic: string): NewRecord[] => appended.filter((record) => record.topic === topic)

describe('a decided request', () => {
  test('becomes a record in the partition that its id names, and the checkpoint moves once it is acknowledged', async () => {
    let acknowledged: () => void = () => undefined
    acknowledge = () => new Promise((resolve) => (acknowledged = () => resolve([])))
    const reportId = '00000000000000a7'
    expect(await lane().handle(batchOf([recordOf(7, requestOf(reportId))]))).toBeUndefined()
    expect(appended).toMatchObject([
      { topic: 'screening.report.events.v1', partition: 0xa7 % 16, key: reportId },
    ])
    expect(done).toEqual([])
    acknowledged()
    await turn()
    expect(done).toMatchObject([{ topic: INTERACTIVE, partition: 1, firstOffset: 7, nextOffset: 8 }])
  })

  test('of the sandbox goes to the sandbox', async () => {
    const topic = `sandbox.${INTERACTIVE}`
    await lane().handle(batchOf([recordOf(0, requestOf(idOf(1), { livemode: false }), topic)], topic))
    expect(appended.map((record) => record.topic)).toEqual(['sandbox.screening.report.events.v1'])
  })

  test('whose record was not acknowledged is read again and no checkpoint moves over it', async () => {
    acknowledge = () => Promise.reject(new Error('broker gone'))
    await lane().handle(batchOf([good(3)]))
    await turn()
    expect(done).toEqual([])
    expect(failed).toMatchObject([{ topic: INTERACTIVE, partition: 1, firstOffset: 3, nextOffset: 4 }])
  })
})

describe('an overdue request', () => {
  const overdue = recordOf(0, requestOf(idOf(1), { answerByAt: '2026-11-21T11:59:59.999Z' }))

  test('goes to the bulk lane byte for byte and is not decided in front of others', async () => {
    await lane().handle(batchOf([overdue, good(1)]))
    expect(inTopic('screening.bulk-screen.events.v1')).toEqual([
      {
        topic: 'screening.bulk-screen.events.v1',
        key: overdue.key,
        value: overdue.value,
        headers: overdue.headers,
      },
    ])
    expect(inTopic('screening.report.events.v1').map(({ key }) => key)).toEqual([idOf(1)])
    await turn()
    expect(done).toMatchObject([{ nextOffset: 2 }])
  })

  test('of the sandbox stays in the sandbox', async () => {
    const topic = `sandbox.${INTERACTIVE}`
    const request = requestOf(idOf(1), { livemode: false, answerByAt: '2026-11-21T11:59:59.999Z' })
    await lane().handle(batchOf([recordOf(0, request, topic)], topic))
    expect(appended.map((record) => record.topic)).toEqual(['sandbox.screening.bulk-screen.events.v1'])
  })

  test('is decided on the bulk lane, however late', async () => {
    const topic = 'screening.bulk-screen.events.v1'
    await lane('bulk').handle(batchOf([{ ...overdue, topic }], topic))
    expect(appended.map((record) => record.topic)).toEqual(['screening.report.events.v1'])
  })
})

describe('a record that cannot be decided', () => {
  test('fails its screening and is laid aside with the reason, while the others are answered', async () => {
    await lane().handle(batchOf([good(4), poison(5), good(6)]))
    await turn()
    expect(
      inTopic('screening.report.events.v1').map(({ key, headers }) => [key, headers['ce_type']]),
    ).toEqual([
      [idOf(5), 'ScreeningFailed'],
      [idOf(4), 'ReportGenerated'],
      [idOf(6), 'ReportGenerated'],
    ])
    const [letter] = inTopic('scorer.interactive.v1.dlq')
    expect(letter).toMatchObject({
      key: idOf(5),
      headers: { topic: INTERACTIVE, partition: '1', offset: '5', ce_id: 'request-5' },
    })
    expect(letter!.value!.toString()).toBe('not an event')
    expect(letter!.headers['cause']).toContain('SyntaxError')
    expect(done).toMatchObject([{ nextOffset: 7 }])
  })

  test('without a report id as key is laid aside alone', async () => {
    await lane().handle(batchOf([{ ...poison(0), key: 'no id' }]))
    await turn()
    expect(appended.map((record) => record.topic)).toEqual(['scorer.interactive.v1.dlq'])
  })

  test.each([
    ['asks for another report than its key names', { ...good(0), key: idOf(99) }],
    ['is of the sandbox in a live topic', recordOf(0, requestOf(idOf(0), { livemode: false }))],
    ['the decision refuses', recordOf(0, requestOf(idOf(0), { address: 'refuse' }))],
    ['makes a report too large for a record', recordOf(0, requestOf(idOf(0), { address: 'large' }))],
  ])('because it %s is given up', async (_, record) => {
    decide = (requests) =>
      Promise.resolve(
        requests.map((request): Decision => {
          if (request.data.address === 'refuse') return { kind: 'undecidable', cause: 'no' }
          const event = reportOf(request)
          return {
            kind: 'report',
            event:
              request.data.address === 'large'
                ? { ...event, data: { ...event.data, report: 'x'.repeat(2_000_000) } }
                : event,
          }
        }),
      )
    await lane().handle(batchOf([record]))
    await turn()
    expect(inTopic('scorer.interactive.v1.dlq')).toHaveLength(1)
    expect(done).toHaveLength(1)
  })

  test('as most of the recent ones is not given up: what came before it goes on, then the lane pauses in front of it', async () => {
    for (let i = 0; i < TOLERATED_FAILURES; i++) failures.mayGiveUp()
    failures.succeeded()
    const scorer = lane()
    expect(await scorer.handle(batchOf([good(0), poison(1), good(2)]))).toEqual({ resumeAt: 1 })
    await expect(scorer.handle(batchOf([poison(1), good(2)]))).rejects.toThrow(PausedError)
    await turn()
    expect(appended.map(({ key }) => key)).toEqual([idOf(0)])
    expect(done).toMatchObject([{ firstOffset: 0, nextOffset: 1 }])
  })
})

describe('a record of a schema that is not known yet', () => {
  const newer = recordOf(1, 'newer')

  test('is waited for, and what came before it goes on', async () => {
    const scorer = lane()
    expect(await scorer.handle(batchOf([good(0), newer]))).toEqual({ resumeAt: 1 })
    await expect(scorer.handle(batchOf([newer]))).rejects.toThrow(PausedError)
    expect(appended.map(({ key }) => key)).toEqual([idOf(0)])
  })

  test('that never becomes known is given up', async () => {
    const scorer = lane()
    await expect(scorer.handle(batchOf([newer]))).rejects.toThrow(PausedError)
    now = new Date(now.getTime() + 1_500)
    await scorer.handle(batchOf([newer]))
    await turn()
    expect(inTopic('scorer.interactive.v1.dlq')).toHaveLength(1)
  })
})

describe('a bad time', () => {
  test('in which log or database do not answer blames no record', async () => {
    reachable = false
    await expect(lane().handle(batchOf([poison(0)]))).rejects.toThrow(PausedError)
    await turn()
    expect(appended).toEqual([])
  })

  test('rejects the batch whole: nothing is appended, nothing is laid aside, no checkpoint moves', async () => {
    decide = () => Promise.reject(new Error('no database'))
    await expect(lane().handle(batchOf([good(0), poison(1)]))).rejects.toThrow('no database')
    await turn()
    expect([appended, done, failed]).toEqual([[], [], []])
  })

  test('in which labels cannot be trusted screens nothing', async () => {
    refusal = 'The label view has not followed the label topic for 601 s.'
    await expect(lane().handle(batchOf([good(0)]))).rejects.toThrow(PausedError)
    expect(appended).toEqual([])
  })

  test('in which the log acknowledges nothing stops reading at the limit', async () => {
    acknowledge = () => new Promise(() => undefined)
    const scorer = lane()
    await scorer.handle(batchOf(Array.from({ length: 2_000 }, (_, offset) => good(offset))))
    let handled = false
    void scorer.handle(batchOf([good(2_000)])).then(() => (handled = true))
    await turn()
    expect(handled).toBe(false)
    expect(scorer.inFlight.count()).toBe(2_000)
  })
})

test('a batch of probes alone moves the checkpoint', async () => {
  await lane().handle({
    topic: INTERACTIVE,
    partition: 1,
    records: [],
    firstOffset: 5,
    nextOffset: 6,
    endOffset: 6,
  })
  await turn()
  expect(done).toMatchObject([{ firstOffset: 5, nextOffset: 6 }])
})
