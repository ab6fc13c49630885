/**
 * The work of one lane: decodes requests, has them decided, and appends reports, failures and deferred requests. The consumer
 * in start-scorer.ts does the rest.
 */
import { reportPartition, screenTopic, topicOf, type DomainEvent, type Lane } from '@cupel/contracts'
import type { EventCodec, EventLog, LogRecord, NewRecord } from '@cupel/event-log'
import { Unhandleable, type ConsumeOptions } from '@cupel/projections'
import type { ScorerInstruments } from './instruments.js'
import type { SignReports } from './report-signer.js'
import { MAX_VALUE_BYTES, screeningFailed } from './screening-failed.js'

export type Request = DomainEvent<'ScreenRequested'>

/** The result for one request. `undecidable` blames the request; a rejection of `decide` blames no request. */
export type Decision =
  | { readonly kind: 'report'; readonly event: DomainEvent<'ReportGenerated'> }
  | { readonly kind: 'undecidable'; readonly cause: string }

export interface LaneOptions {
  readonly lane: Lane
  readonly log: Pick<EventLog, 'append'>
  readonly codec: EventCodec
  readonly instruments: ScorerInstruments
  readonly now: () => Date
  readonly sign: SignReports
  /** One result per request, in order, from one snapshot. */
  readonly decide: (requests: readonly Request[]) => Promise<readonly Decision[]>
}

/** A request with the record it came in. */
export interface RequestRecord {
  readonly record: LogRecord
  readonly request: Request
}

/** What is appended for a request. */
export type Outcome =
  | { readonly kind: 'report'; readonly report: NewRecord; readonly level: string }
  | { readonly kind: 'overdue'; readonly record: LogRecord }
  | Failed

/** A request that cannot be decided; `request` is null where the record cannot be decoded. */
export interface Failed {
  readonly kind: 'failed'
  readonly record: LogRecord
  readonly request: Request | null
}

export interface LaneWork extends Required<Pick<ConsumeOptions<RequestRecord, Outcome>, 'read' | 'decide'>> {
  /** Resolves when everything that follows from the outcomes is acknowledged. */
  readonly append: (outcomes: readonly Outcome[]) => Promise<unknown>
  readonly outcomeOf: (record: LogRecord) => Outcome
}

export function createLaneWork(options: LaneOptions): LaneWork {
  return {
    read: (record) => readRequest(options, record),
    decide: (requests) => decideRequests(options, requests),
    append: (outcomes) => appendOutcomes(options, outcomes),
    outcomeOf: (record) => ({ kind: 'failed', record, request: null }),
  }
}

function readRequest({ codec }: LaneOptions, record: LogRecord): RequestRecord | Unhandleable<Outcome> {
  const request = codec.decodeAs('ScreenRequested', record)
  if (request === null) throw new TypeError('The record is not a ScreenRequested')
  const cause = contradiction(record, request)
  return cause === null ? { record, request } : undecidable({ record, request }, cause)
}

/** A request that contradicts its record is not answered: neither of them can be trusted. */
function contradiction(record: LogRecord, { data }: Request): string | null {
  if (data.reportId !== record.key) return `the record of ${record.key} asks for report ${data.reportId}`
  const topics = [screenTopic('interactive', data.livemode), screenTopic('bulk', data.livemode)]
  return topics.includes(record.topic) ? null : `livemode is ${data.livemode} on ${record.topic}`
}

function undecidable({ record, request }: RequestRecord, cause: string): Unhandleable<Outcome> {
  return new Unhandleable<Outcome>(cause, { kind: 'failed', record, request })
}

async function decideRequests(
  options: LaneOptions,
  requests: readonly RequestRecord[],
): Promise<readonly (Outcome | Unhandleable<Outcome>)[]> {
  const { lane, instruments } = options
  const nowMs = options.now().getTime()
  const inTime: Request[] = []
  const overdue = new Set<RequestRecord>()
  for (const one of requests) {
    const { requestedAt, answerByAt } = one.request.data
    instruments.dwell(lane, nowMs - Date.parse(requestedAt))
    // Nobody waits for it any more: it goes to the bulk lane instead of delaying requests that somebody waits for.
    if (lane === 'interactive' && answerByAt !== null && Date.parse(answerByAt) < nowMs) overdue.add(one)
    else inTime.push(one.request)
  }
  const decisions = (await options.decide(inTime)).values()
  return requests.map((one) =>
    overdue.has(one)
      ? { kind: 'overdue', record: one.record }
      : outcomeOf(options.codec, one, decisions.next().value!),
  )
}

function outcomeOf(
  codec: EventCodec,
  request: RequestRecord,
  decision: Decision,
): Outcome | Unhandleable<Outcome> {
  if (decision.kind === 'undecidable') return undecidable(request, decision.cause)
  try {
    const { reportId, livemode, level } = decision.event.data
    const report = codec.encode(decision.event, {
      topic: topicOf('ReportGenerated', livemode),
      key: reportId,
      partition: reportPartition(reportId),
    })
    const bytes = report.value.length
    if (bytes > MAX_VALUE_BYTES) return undecidable(request, `the report takes ${bytes} bytes`)
    return { kind: 'report', report, level }
  } catch (error) {
    return undecidable(request, error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
}

async function appendOutcomes(options: LaneOptions, outcomes: readonly Outcome[]): Promise<void> {
  const { lane, log, instruments } = options
  const reports: NewRecord[] = []
  const overdue: NewRecord[] = []
  const failures: NewRecord[] = []
  for (const outcome of outcomes) {
    if (outcome.kind === 'report') {
      reports.push(outcome.report)
      instruments.decided(lane, outcome.level)
    } else if (outcome.kind === 'overdue') {
      overdue.push(onBulkLane(outcome.record))
      instruments.deferred()
    } else {
      instruments.givenUp(lane)
      const failure = screeningFailed(options, outcome)
      if (failure !== null) failures.push(failure)
    }
  }
  const appends: Promise<unknown>[] = []
  if (failures.length > 0) appends.push(log.append('scorer.screening-failed', failures))
  if (reports.length > 0) appends.push(appendReports(options, reports))
  if (overdue.length > 0) appends.push(log.append('scorer.request-deferred', overdue))
  await Promise.all(appends)
}

async function appendReports({ log, sign }: LaneOptions, reports: readonly NewRecord[]): Promise<void> {
  await log.append('scorer.report-generated', await sign(reports))
}

/** The same record, byte for byte, so that there is one distinct request for each report id. */
function onBulkLane({ topic, key, value, headers }: LogRecord): NewRecord {
  const livemode = topic === screenTopic('interactive', true)
  return { topic: screenTopic('bulk', livemode), key, value, headers }
}
