/** Reads the ends of bulk jobs from the log and makes their deliveries, together with the checkpoint. */
import { topicOf, type Logger, type Metrics, type Trace, type Tracing } from '@cupel/contracts'
import { typeOf, type EventCodec, type EventLog, type LogRecord } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { consume, inTransaction, type Consumer } from '@cupel/projections'
import { insertDeliveries, type JobEnd } from '@cupel/webhooks'

export const DISPATCHER_GROUP = 'webhook-dispatcher.deliveries.v1'
const TOPICS = [topicOf('BulkCompleted'), topicOf('BulkCompleted', false)]
const MAX_BATCH_RECORDS = 100
const MAX_CONCURRENT_PARTITIONS = 4
/** How long a record may wait for the schema it was written with. */
const SCHEMA_PATIENCE_MS = 60_000

export interface FollowJobsOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Deliveries were made. */
  readonly onDeliveries: () => void
  /** Called where only an operator leads back. */
  readonly onStopped: (error: Error) => void
}

export function followJobs(options: FollowJobsOptions): Consumer {
  const { log, codec, database, logger, metrics, tracing, onDeliveries, onStopped } = options
  return consume<JobEnd | null>({
    ...{ log, logger, onStopped },
    group: DISPATCHER_GROUP,
    topics: TOPICS,
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    schemaPatienceMs: SCHEMA_PATIENCE_MS,
    read: (record) => endOfJob(codec, record),
    deadLetters: { at: 'webhooks.dead-letter', metrics, window: {} },
    commit: inTransaction<JobEnd | null, Followed>({
      database,
      at: 'webhooks.deliveries',
      async write(transaction, batches) {
        const ends = batches.flatMap(({ outcomes }) => outcomes.filter((end) => end !== null))
        const traces = tracing ? ends.map((end) => beginTrace(tracing, end)) : null
        const traced = traces === null ? ends : ends.map((end, index) => continuedBy(end, traces[index]!))
        await insertDeliveries(transaction, traced)
        return { ends: ends.length, traces }
      },
      onCommitted({ result: { ends, traces } }) {
        for (const trace of traces ?? []) trace.end()
        if (ends > 0) onDeliveries()
      },
    }),
  })
}

/** Null where the record is not the end of a job. */
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

function readTime(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new RangeError(`${text} is not a time`)
  return at.toISOString()
}

interface Followed {
  readonly ends: number
  /** Null where no traces are made. */
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
