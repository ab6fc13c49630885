/**
 * The work of one lane: decodes requests, has them decided, and appends reports, failures and deferred requests. The consumer
 * in start-scorer.ts does the rest.
 */
import {
  appendAttributes,
  recordAttributes,
  reportPartition,
  screenTopic,
  topicOf,
  type DomainEvent,
  type Lane,
  type Trace,
  type Tracing,
  type TransferRefusalCode,
} from '@cupel/contracts'
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { EventCodec, EventLog, LogRecord, NewRecord } from '@cupel/event-log'
import { Unhandleable, type ConsumeOptions } from '@cupel/projections'
import type { ScorerInstruments } from './instruments.js'
import { MAX_VALUE_BYTES, screeningFailed } from './screening-failed.js'

export type Request = DomainEvent<'ScreenRequested'>

/**
 * The result for one request. `undecidable` blames the request; a rejection of `decide` blames no request. `later`: the caller waits for what is
 * missing, and this decision is appended in place of the first one. It never rejects.
 */
export type Decision =
  | {
      readonly kind: 'report'
      readonly event: DomainEvent<'ReportGenerated'>
      readonly later?: Promise<Decision>
    }
  | { readonly kind: 'undecidable'; readonly cause: string }
  | Refused

/** Nothing is wrong with the request: what its caller stated cannot be screened. `detail` is a sentence for the caller. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: TransferRefusalCode
  readonly detail: string
  readonly later?: Promise<Decision>
}

/**
 * Resolves once what the requests have in common is read, to one promise for each of them. One that waits for the ledger is decided later.
 */
export type Decide<R extends Request = Request> = (
  requests: readonly R[],
) => Promise<readonly Promise<Decision>[]>

export interface LaneOptions {
  readonly lane: Lane
  readonly log: Pick<EventLog, 'append' | 'kind'>
  readonly codec: EventCodec
  readonly instruments: ScorerInstruments
  readonly now: () => Date
  /** Told of each interactive request how long it waited for its decision, in milliseconds. */
  readonly onDwell: (dwellMs: number) => void
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null | undefined
  readonly decide: Decide
}

/** A request with the record it came in. */
export interface RequestRecord {
  readonly record: LogRecord
  readonly request: Request
}

/** What is appended for a request. */
export type Outcome =
  | {
      readonly kind: 'report'
      readonly report: NewRecord
      readonly level: string
      readonly traced?: TracedReport | undefined
    }
  | { readonly kind: 'overdue'; readonly record: LogRecord }
  /**
   * It waits for the ledger, or its caller for late stages or its transaction. It delays no other request, and only its own checkpoint. Rejects if
   * the request has to be read again.
   */
  | { readonly kind: 'awaited'; readonly outcome: Promise<Outcome> }
  | (Refused & { readonly record: LogRecord; readonly request: Request })
  | Failed

/** The trace of a request, which ends once its report is in the log. */
export interface TracedReport {
  readonly trace: Trace
  readonly eventId: string
}

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

export function createLaneWork(given: LaneOptions): LaneWork {
  const options: Work = { ...given, inPlace: new Set() }
  return {
    read: (record) => readRequest(options, record),
    decide: (requests) => decideRequests(options, requests),
    append: (outcomes) => appendOutcomes(options, outcomes),
    outcomeOf: (record) => ({ kind: 'failed', record, request: null }),
  }
}

interface Work extends LaneOptions {
  /**
   * Report ids of requests that could not be decided later. When they are read again, their batch waits for them: one that cannot be decided is
   * dead-lettered in its turn.
   */
  readonly inPlace: Set<string>
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

function undecidable(
  { record, request }: RequestRecord,
  cause: string,
  trace?: Trace,
): Unhandleable<Outcome> {
  trace?.fail()
  trace?.end()
  return new Unhandleable<Outcome>(cause, { kind: 'failed', record, request })
}

async function decideRequests(
  options: Work,
  requests: readonly RequestRecord[],
): Promise<readonly (Outcome | Unhandleable<Outcome>)[]> {
  const { lane, instruments } = options
  const nowMs = options.now().getTime()
  const traces = options.tracing ? requests.map((one) => beginTrace(options, options.tracing!, one)) : null
  const inTime: Request[] = []
  const overdue = new Set<RequestRecord>()
  for (const [index, one] of requests.entries()) {
    const { requestedAt, answerByAt } = one.request.data
    instruments.dwell(lane, nowMs - Date.parse(requestedAt), traces?.[index])
    // No caller waits for it any more: it goes to the bulk lane and does not delay requests with a waiting caller.
    if (lane === 'interactive' && answerByAt !== null && Date.parse(answerByAt) < nowMs) overdue.add(one)
    else inTime.push(one.request)
  }
  const steps = traces?.map((trace) =>
    trace.step('decide', { attributes: { 'cupel.batch': requests.length } }),
  )
  const decisions = (await options.decide(inTime)).values()
  const decided = (index: number): void => {
    steps?.[index]?.end()
    const { requestedAt } = requests[index]!.request.data
    if (lane === 'interactive') options.onDwell(options.now().getTime() - Date.parse(requestedAt))
  }
  const outcomes = requests.map(async (one, index) => {
    const trace = traces?.[index]
    if (!overdue.has(one)) {
      const decision = decisions.next().value!.finally(() => decided(index))
      return await outcomeInTurn(options, one, decision, trace)
    }
    decided(index)
    trace?.note({ 'cupel.outcome': 'deferred' })
    trace?.end()
    return { kind: 'overdue', record: one.record } as const
  })
  return await Promise.all(outcomes)
}

/** The others of the batch, and the next batch, wait one turn of the event loop for it. */
async function outcomeInTurn(
  { codec, inPlace }: Work,
  one: RequestRecord,
  decision: Promise<Decision>,
  trace: Trace | undefined,
): Promise<Outcome | Unhandleable<Outcome>> {
  const { reportId } = one.request.data
  const found = inPlace.has(reportId) ? await decision : await withinMs(0, decision)
  if (found !== LATE) {
    inPlace.delete(reportId)
    return outcomeOf(codec, one, found, trace)
  }
  const later = async (): Promise<Outcome> => {
    try {
      const outcome = outcomeOf(codec, one, await decision, trace)
      if (!(outcome instanceof Unhandleable)) return outcome
      throw new Error(outcome.cause)
    } catch (error) {
      inPlace.add(reportId)
      throw error
    }
  }
  const outcome = later()
  // The append handles a rejection, which may come before it has begun to wait.
  outcome.catch(() => undefined)
  return { kind: 'awaited', outcome }
}

/** No caller waits for one item of a bulk job, whose request is as old as the job. */
function beginTrace({ lane, log }: LaneOptions, tracing: Tracing, { record, request }: RequestRecord): Trace {
  return tracing.begin({
    name: `process ${record.topic}`,
    kind: 'consumer',
    parent: request.envelope.traceparent,
    startedMs: performance.now(),
    ...(lane === 'bulk' ? {} : { awaitedSinceMs: Date.parse(request.data.requestedAt) }),
    attributes: { ...recordAttributes(log.kind, record), 'cupel.report_id': request.data.reportId },
  })
}

function outcomeOf(
  codec: EventCodec,
  request: RequestRecord,
  decision: Decision,
  trace: Trace | undefined,
): Outcome | Unhandleable<Outcome> {
  if (decision.kind === 'undecidable') return undecidable(request, decision.cause, trace)
  const first = decision.kind === 'report' ? reportOutcome(codec, request, decision.event, trace) : null
  if (first instanceof Unhandleable) return first
  const standing = (): Outcome => first ?? refusedOutcome(request, decision as Refused, trace)
  if (decision.later === undefined) return standing()
  const outcome = decision.later.then((last) => {
    if (last.kind === 'refused') return refusedOutcome(request, last, trace)
    const found = last.kind === 'report' ? reportOutcome(codec, request, last.event, trace) : null
    return found === null || found instanceof Unhandleable ? standing() : found
  })
  return { kind: 'awaited', outcome }
}

function refusedOutcome(
  request: RequestRecord,
  { code, detail }: Refused,
  trace: Trace | undefined,
): Outcome {
  trace?.note({ 'cupel.outcome': code })
  trace?.end()
  return { ...request, kind: 'refused', code, detail }
}

function reportOutcome(
  codec: EventCodec,
  request: RequestRecord,
  event: DomainEvent<'ReportGenerated'>,
  trace: Trace | undefined,
): Outcome | Unhandleable<Outcome> {
  try {
    const { reportId, livemode, level } = event.data
    const eventId = event.envelope.id
    const report = codec.encode(tracedBy(trace, event), {
      topic: topicOf('ReportGenerated', livemode),
      key: reportId,
      partition: reportPartition(reportId),
    })
    const bytes = report.value.length
    if (bytes > MAX_VALUE_BYTES) return undecidable(request, `the report takes ${bytes} bytes`, trace)
    return { kind: 'report', report, level, traced: trace === undefined ? undefined : { trace, eventId } }
  } catch (error) {
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return undecidable(request, cause, trace)
  }
}

function tracedBy(
  trace: Trace | undefined,
  event: DomainEvent<'ReportGenerated'>,
): DomainEvent<'ReportGenerated'> {
  if (trace === undefined) return event
  const { envelope } = event
  return { ...event, envelope: { ...envelope, traceparent: trace.traceparentOf(envelope.id) } }
}

async function appendOutcomes(options: LaneOptions, outcomes: readonly Outcome[]): Promise<void> {
  const { lane, log, instruments } = options
  const reports: NewRecord[] = []
  const traced: TracedReport[] = []
  const overdue: NewRecord[] = []
  const failures: NewRecord[] = []
  const appends: Promise<unknown>[] = []
  for (const outcome of outcomes) {
    if (outcome.kind === 'report') {
      reports.push(outcome.report)
      if (outcome.traced !== undefined) traced.push(outcome.traced)
      instruments.decided(lane, outcome.level)
    } else if (outcome.kind === 'overdue') {
      overdue.push(onBulkLane(outcome.record))
      instruments.deferred()
    } else if (outcome.kind === 'awaited') {
      appends.push(outcome.outcome.then((one) => appendOutcomes(options, [one])))
    } else if (outcome.kind === 'refused') {
      failures.push(screeningFailed(options, outcome, outcome)!)
    } else {
      instruments.givenUp(lane)
      const failure = screeningFailed(options, outcome)
      if (failure !== null) failures.push(failure)
    }
  }
  if (failures.length > 0) appends.push(log.append('scorer.screening-failed', failures))
  if (reports.length > 0)
    appends.push(
      traced.length === 0 ? appendReports(options, reports) : appendTraced(options, reports, traced),
    )
  if (overdue.length > 0) appends.push(log.append('scorer.request-deferred', overdue))
  await Promise.all(appends)
}

async function appendTraced(
  options: LaneOptions,
  reports: readonly NewRecord[],
  traced: readonly TracedReport[],
): Promise<void> {
  const { topic } = reports[0]!
  const attributes = appendAttributes(options.log.kind, topic)
  const steps = traced.map(({ trace, eventId }) =>
    trace.step(`send ${topic}`, { kind: 'producer', eventId, attributes }),
  )
  try {
    await appendReports(options, reports)
  } catch (error) {
    for (const step of steps) step.fail()
    throw error
  } finally {
    for (const step of steps) step.end()
    for (const { trace } of traced) trace.end()
  }
}

async function appendReports({ log }: LaneOptions, reports: readonly NewRecord[]): Promise<void> {
  await log.append('scorer.report-generated', reports)
}

/** The same record, byte for byte, so that there is one distinct request for each report id. */
function onBulkLane({ topic, key, value, headers }: LogRecord): NewRecord {
  const livemode = topic === screenTopic('interactive', true)
  return { topic: screenTopic('bulk', livemode), key, value, headers }
}
