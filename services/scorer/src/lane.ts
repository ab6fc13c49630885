/**
 * One lane of requests: decode, gather, decide, append, and move the checkpoint once the append is acknowledged. The next
 * batch is read while the last one's reports are still on their way; what was not acknowledged is read again.
 */
import {
  reportPartition,
  screenTopic,
  topicOf,
  type DomainEvent,
  type Lane,
  type Logger,
} from '@cupel/contracts'
import {
  UndecodableRecordError,
  type EventCodec,
  type EventLog,
  type LogBatch,
  type LogRecord,
  type NewRecord,
} from '@cupel/event-log'
import { giveUp, MAX_VALUE_BYTES, type Undecidable } from './dead-letter.js'
import type { FailureWindow } from './failure-window.js'
import { createInFlight, type InFlight } from './in-flight.js'
import type { ScorerInstruments } from './instruments.js'

export type Request = DomainEvent<'ScreenRequested'>

/** What came of one request. `undecidable` blames the request; a rejection of `decide` blames the time. */
export type Decision =
  | { readonly kind: 'report'; readonly event: DomainEvent<'ReportGenerated'> }
  | { readonly kind: 'undecidable'; readonly cause: string }

/** Why nothing is handled now; the batch comes again after a pause. */
export class PausedError extends Error {
  override readonly name = 'PausedError'
}

export interface LaneOptions {
  readonly lane: Lane
  readonly group: string
  readonly log: EventLog
  readonly codec: EventCodec
  readonly logger: Logger
  readonly instruments: ScorerInstruments
  readonly failures: FailureWindow
  readonly now: () => Date
  /** One result per request, in order, from one snapshot. */
  readonly decide: (requests: readonly Request[]) => Promise<readonly Decision[]>
  /** Null while screening may go on, else why not. */
  readonly refusal: () => string | null
  /** Whether log and database answer: while they do not, no record is blamed. */
  readonly reachable: () => boolean
  readonly progress: {
    /** The records from `firstOffset` up to `nextOffset` are dealt with and everything that follows from them is acknowledged. */
    done(range: HandledRange): void
    /** Nobody will deal with them: they are read again. */
    failed(range: HandledRange, error: unknown): void
  }
}

export type HandledRange = Pick<LogBatch, 'topic' | 'partition' | 'firstOffset' | 'nextOffset'>

export interface LaneHandler {
  readonly handle: (batch: LogBatch) => Promise<{ readonly resumeAt: number } | undefined>
  /** Records whose reports are not yet acknowledged. */
  readonly inFlight: InFlight
}

/** Records whose appends may be under way at once. Beyond, reading waits: memory stays bounded when the log is slow. */
const MAX_IN_FLIGHT_RECORDS = 2_000

/**
 * How long a record waits for the schema it names to become known: a newer release may just have registered it. Those behind it
 * in its partition wait as long, so it is less than a second.
 */
const SCHEMA_PATIENCE_MS = 800

type Reading =
  | { readonly kind: 'request'; readonly record: LogRecord; readonly request: Request }
  | { readonly kind: 'overdue'; readonly record: LogRecord }
  | ({ readonly kind: 'undecidable' } & Undecidable)
  | { readonly kind: 'not-yet'; readonly record: LogRecord; readonly cause: string }

type Outcome =
  | {
      readonly kind: 'report'
      readonly record: LogRecord
      readonly report: NewRecord
      readonly level: string
    }
  | Exclude<Reading, { kind: 'request' }>

export function createLane(options: LaneOptions): LaneHandler {
  const inFlight = createInFlight(MAX_IN_FLIGHT_RECORDS)
  const unknownSince = new Map<string, number>()
  return {
    inFlight,
    async handle(batch) {
      const refusal = options.refusal()
      if (refusal !== null) throw new PausedError(refusal)
      await inFlight.room()
      const now = options.now()
      const readings = batch.records.map((record) => read(options, unknownSince, record, now))
      const outcomes = await decideAll(options, readings)
      const settled = settle(options, outcomes)
      // With nothing before the record that has to wait, the adapter pauses and brings the same batch again.
      if (settled.waitFor !== null && settled.outcomes.length === 0) throw new PausedError(settled.waitFor)
      carryOut(options, inFlight, settled.outcomes, {
        ...batch,
        nextOffset: settled.resumeAt ?? batch.nextOffset,
      })
      return settled.resumeAt === null ? undefined : { resumeAt: settled.resumeAt }
    },
  }
}

function read(
  { lane, codec, instruments }: LaneOptions,
  unknownSince: Map<string, number>,
  record: LogRecord,
  now: Date,
): Reading {
  try {
    const request = codec.decodeAs('ScreenRequested', record)
    if (request === null)
      return { kind: 'undecidable', record, request: null, cause: 'not a ScreenRequested' }
    const cause = contradiction(record, request)
    if (cause !== null) return { kind: 'undecidable', record, request, cause }
    instruments.dwell(lane, now.getTime() - Date.parse(request.data.requestedAt))
    const { answerByAt } = request.data
    // Nobody waits for it any more: it goes on, but no longer in front of those for whom somebody does.
    if (lane === 'interactive' && answerByAt !== null && Date.parse(answerByAt) < now.getTime())
      return { kind: 'overdue', record }
    return { kind: 'request', record, request }
  } catch (error) {
    const cause = reasonOf(error)
    const isUnknownSchema = error instanceof UndecodableRecordError && error.reason === 'unknown-schema'
    if (isUnknownSchema && isPatient(unknownSince, record, now)) return { kind: 'not-yet', record, cause }
    return { kind: 'undecidable', record, request: null, cause }
  }
}

function isPatient(unknownSince: Map<string, number>, record: LogRecord, now: Date): boolean {
  const place = `${record.topic}/${record.partition}/`
  const key = `${place}${record.offset}`
  const firstSeen = unknownSince.get(key)
  if (firstSeen !== undefined) return now.getTime() - firstSeen < SCHEMA_PATIENCE_MS
  // One record holds up its partition at a time, so the earlier entries of this partition are history.
  for (const known of unknownSince.keys()) if (known.startsWith(place)) unknownSince.delete(known)
  unknownSince.set(key, now.getTime())
  return true
}

/** A request that says two things at once must not be answered in the name of either. */
function contradiction(record: LogRecord, { data }: Request): string | null {
  if (data.reportId !== record.key) return `the record of ${record.key} asks for report ${data.reportId}`
  const topics = [screenTopic('interactive', data.livemode), screenTopic('bulk', data.livemode)]
  return topics.includes(record.topic) ? null : `livemode is ${data.livemode} on ${record.topic}`
}

async function decideAll(options: LaneOptions, readings: readonly Reading[]): Promise<Outcome[]> {
  const requests = readings.flatMap((reading) => (reading.kind === 'request' ? [reading.request] : []))
  const decisions = (await options.decide(requests)).values()
  return readings.map((reading): Outcome => {
    if (reading.kind !== 'request') return reading
    const decision = decisions.next().value!
    const { record, request } = reading
    if (decision.kind === 'undecidable')
      return { kind: 'undecidable', record, request, cause: decision.cause }
    return encodeReport(options.codec, record, request, decision.event)
  })
}

function encodeReport(
  codec: EventCodec,
  record: LogRecord,
  request: Request,
  event: DomainEvent<'ReportGenerated'>,
): Outcome {
  try {
    const { reportId, livemode, level } = event.data
    const target = {
      topic: topicOf('ReportGenerated', livemode),
      key: reportId,
      partition: reportPartition(reportId),
    }
    const report = codec.encode(event, target)
    const bytes = report.value?.length ?? 0
    if (bytes > MAX_VALUE_BYTES)
      return { kind: 'undecidable', record, request, cause: `the report takes ${bytes} bytes` }
    return { kind: 'report', record, report, level }
  } catch (error) {
    return { kind: 'undecidable', record, request, cause: reasonOf(error) }
  }
}

interface Settled {
  readonly outcomes: readonly Outcome[]
  /** Offset of the record that has to wait, and why; null where none has to. */
  readonly resumeAt: number | null
  readonly waitFor: string | null
}

/** Outcomes up to the first record that must not be given up now; reading resumes at that one. */
function settle({ failures, reachable }: LaneOptions, outcomes: readonly Outcome[]): Settled {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'report') failures.succeeded()
    const waitFor = reasonToWait(outcome, failures, reachable)
    if (waitFor !== null)
      return { outcomes: outcomes.slice(0, index), resumeAt: outcome.record.offset, waitFor }
  }
  return { outcomes, resumeAt: null, waitFor: null }
}

function reasonToWait(outcome: Outcome, failures: FailureWindow, reachable: () => boolean): string | null {
  if (outcome.kind === 'not-yet') return outcome.cause
  if (outcome.kind !== 'undecidable') return null
  if (!reachable())
    return `Log or database do not answer, so this is not the record's fault: ${outcome.cause}`
  return failures.mayGiveUp()
    ? null
    : `Most of the recent requests could not be decided, last: ${outcome.cause}`
}

/** Appends what follows from the outcomes without holding up the next batch. */
function carryOut(
  options: LaneOptions,
  inFlight: InFlight,
  outcomes: readonly Outcome[],
  range: HandledRange,
): void {
  const { lane, log, instruments, progress } = options
  const reports: NewRecord[] = []
  const overdue: NewRecord[] = []
  const appends: Promise<unknown>[] = []
  for (const outcome of outcomes) {
    if (outcome.kind === 'report') {
      reports.push(outcome.report)
      instruments.decided(lane, outcome.level)
    } else if (outcome.kind === 'overdue') {
      overdue.push(onBulkLane(outcome.record))
      instruments.deferred()
    } else if (outcome.kind === 'undecidable') {
      options.logger.error(
        { reportId: outcome.record.key, cause: outcome.cause, offset: outcome.record.offset },
        'A request cannot be decided',
      )
      instruments.givenUp(lane)
      appends.push(giveUp(options, outcome))
    }
  }
  if (reports.length > 0) appends.push(log.append('scorer.report-generated', reports))
  if (overdue.length > 0) appends.push(log.append('scorer.request-deferred', overdue))
  const acknowledged = Promise.all(appends).then(
    () => progress.done(range),
    (error: unknown) => progress.failed(range, error),
  )
  inFlight.add(outcomes.length, acknowledged)
}

/** The same record, byte for byte, so that there is one distinct request for each report id. */
function onBulkLane({ topic, key, value, headers }: LogRecord): NewRecord {
  const livemode = topic === screenTopic('interactive', true)
  return { topic: screenTopic('bulk', livemode), key, value, headers }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
