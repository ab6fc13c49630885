/** Reads the ends of bulk jobs, changed reports, digests and failures of watches, and screened transfers from the log and makes their deliveries, together with the checkpoint. */
import {
  laneOfReportPartition,
  topicOf,
  type Logger,
  type Metrics,
  type Trace,
  type Tracing,
} from '@cupel/contracts'
import type { MailStyle } from '@cupel/domain'
import { typeOf, type EventCodec, type EventLog, type LogRecord, type Place } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { consume, inTransaction, type Consumer } from '@cupel/projections'
import {
  insertChangeDeliveries,
  insertDeliveries,
  insertDigestDeliveries,
  insertFailureDeliveries,
  insertTransferDeliveries,
  type JobEnd,
  type ReportChange,
  type ToldDigest,
  type ToldFailure,
  type ToldTransfer,
} from '../index.js'
import { readTime } from './read-time.js'
import { transferReader } from './screened-transfers.js'

export const DISPATCHER_GROUP = 'webhook-dispatcher.deliveries.v1'
export const DISPATCHER_TOPICS = [true, false].flatMap((live) => [
  topicOf('BulkCompleted', live),
  topicOf('ReportChanged', live),
  topicOf('ReportGenerated', live),
])
const reportTopics: readonly string[] = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]
/** Of the report topics the dispatcher reads the interactive half: every transfer is there, and no bulk job. */
export const dispatcherReads = ({ topic, partition }: Place): boolean =>
  !reportTopics.includes(topic) || laneOfReportPartition(partition) === 'interactive'
const MAX_BATCH_RECORDS = 100
const MAX_CONCURRENT_PARTITIONS = 16
/** Reports of screens are many, and few of them are of transfers: a busy log is read in pieces. */
const REST_MS = 1_000
/** Under load there are ten transactions a second, for up to 16,000 records. */
const COMMIT_INTERVAL_MS = 100
/** How long a record may wait for the schema it was written with. */
const SCHEMA_PATIENCE_MS = 60_000

export interface FollowJobsOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly mailStyle: () => MailStyle
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Deliveries were made. */
  readonly onDeliveries: () => void
  /** Called for a failure that only an operator can repair. */
  readonly onStopped: (error: Error) => void
}

/** The events that an account is told of. */
export type Told =
  | { readonly kind: 'end'; readonly end: JobEnd }
  | { readonly kind: 'change'; readonly change: ReportChange }
  | { readonly kind: 'digest'; readonly digest: ToldDigest }
  | { readonly kind: 'failure'; readonly failure: ToldFailure }
  | { readonly kind: 'transfer'; readonly transfer: ToldTransfer }

export function followJobs(options: FollowJobsOptions): Consumer {
  const { log, codec, database, logger, metrics, mailStyle, tracing, onDeliveries, onStopped } = options
  const transferIn = transferReader(codec)
  return consume<Told | null>({
    ...{ log, logger, onStopped },
    group: DISPATCHER_GROUP,
    topics: DISPATCHER_TOPICS,
    reads: dispatcherReads,
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    restMs: REST_MS,
    schemaPatienceMs: SCHEMA_PATIENCE_MS,
    read(record) {
      const transfer = transferIn(record)
      return transfer === null ? toldBy(codec, record) : { kind: 'transfer', transfer }
    },
    deadLetters: { at: 'webhooks.dead-letter', metrics, window: {} },
    commit: inTransaction<Told | null, Followed>({
      database,
      at: 'webhooks.deliveries',
      intervalMs: COMMIT_INTERVAL_MS,
      async write(transaction, batches) {
        const told = batches.flatMap(({ outcomes }) => outcomes.filter((one) => one !== null))
        const ends = told.flatMap((one) => (one.kind === 'end' ? [one.end] : []))
        const changes = told.flatMap((one) => (one.kind === 'change' ? [one.change] : []))
        const digests = told.flatMap((one) => (one.kind === 'digest' ? [one.digest] : []))
        const failures = told.flatMap((one) => (one.kind === 'failure' ? [one.failure] : []))
        const transfers = told.flatMap((one) => (one.kind === 'transfer' ? [one.transfer] : []))
        const traces = tracing ? ends.map((end) => beginTrace(tracing, end)) : null
        const traced = traces === null ? ends : ends.map((end, index) => continuedBy(end, traces[index]!))
        await insertDeliveries(transaction, traced)
        const style = mailStyle()
        await insertChangeDeliveries(transaction, changes, style)
        await insertDigestDeliveries(transaction, digests, style)
        await insertFailureDeliveries(transaction, failures, style)
        await insertTransferDeliveries(transaction, transfers, style)
        return { told: told.length, traces }
      },
      onCommitted({ result: { told, traces } }) {
        for (const trace of traces ?? []) trace.end()
        if (told > 0) onDeliveries()
      },
    }),
  })
}

function toldBy(codec: EventCodec, record: LogRecord): Told | null {
  const end = endOfJob(codec, record)
  if (end !== null) return { kind: 'end', end }
  const change = changeIn(codec, record)
  if (change !== null) return { kind: 'change', change }
  const digest = digestIn(codec, record)
  if (digest !== null) return { kind: 'digest', digest }
  const failure = failureIn(codec, record)
  return failure === null ? null : { kind: 'failure', failure }
}

/** Null if the record is not a watch that keeps failing. */
export function failureIn(codec: EventCodec, record: LogRecord): ToldFailure | null {
  if (typeOf(record) !== 'WatchFailed') return null
  const { data, envelope } = codec.decodeAs('WatchFailed', record)!
  const traceparent = record.headers['traceparent']
  return { ...data, failedAt: readTime(data.failedAt), eventId: envelope.id, traceparent }
}

/** Null if the record is not a digest of watches. */
export function digestIn(codec: EventCodec, record: LogRecord): ToldDigest | null {
  if (typeOf(record) !== 'WatchesDigested') return null
  const { data, envelope } = codec.decodeAs('WatchesDigested', record)!
  return {
    ...data,
    until: readTime(data.until),
    changes: data.changes.map(({ watchId, address, chain, ...one }) => ({
      ...{ watchId, address, chain },
      previous: { reportId: one.previousReportId, level: one.previousLevel, score: one.previousScore },
      current: { reportId: one.reportId, level: one.level, score: one.score },
    })),
    eventId: envelope.id,
    traceparent: record.headers['traceparent'],
  }
}

/** Null if the record is not a changed report. */
export function changeIn(codec: EventCodec, record: LogRecord): ReportChange | null {
  if (typeOf(record) !== 'ReportChanged') return null
  const { data, envelope } = codec.decodeAs('ReportChanged', record)!
  const { watchId, accountId, livemode, address, chain, reference, causes, split, splitMissing } = data
  return {
    ...{ watchId, accountId, livemode, address, chain, reference, causes, split, splitMissing },
    previous: { reportId: data.previousReportId, level: data.previousLevel, score: data.previousScore },
    current: { reportId: data.reportId, level: data.level, score: data.score },
    ...{ why: data.why, reasons: data.reasons, changedAt: readTime(data.changedAt) },
    eventId: envelope.id,
    traceparent: record.headers['traceparent'],
  }
}

/** Null if the record is not the end of a job. */
export function endOfJob(codec: EventCodec, record: LogRecord): JobEnd | null {
  const type = typeOf(record)
  const { traceparent } = record.headers
  if (type === 'BulkCompleted') {
    const { jobId, accountId, livemode, completedAt } = codec.decodeAs(type, record)!.data
    return { jobId, accountId, livemode, type: 'bulk.completed', endedAt: readTime(completedAt), traceparent }
  }
  if (type === 'BulkCancelled') {
    const { jobId, accountId, livemode, cancelledAt } = codec.decodeAs(type, record)!.data
    return { jobId, accountId, livemode, type: 'bulk.cancelled', endedAt: readTime(cancelledAt), traceparent }
  }
  return null
}

interface Followed {
  readonly told: number
  /** Null if no traces are made. */
  readonly traces: readonly Trace[] | null
}

function beginTrace(tracing: Tracing, { jobId, livemode, traceparent }: JobEnd): Trace {
  return tracing.begin({
    name: `process ${topicOf('BulkCompleted', livemode)}`,
    kind: 'consumer',
    parent: traceparent,
    startedMs: performance.now(),
    attributes: { 'cupel.job_id': jobId },
  })
}

function continuedBy(end: JobEnd, { traceparent }: Trace): JobEnd {
  return { ...end, traceparent }
}
