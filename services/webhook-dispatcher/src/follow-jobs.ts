/** Reads the ends of bulk jobs from the log and makes their deliveries, together with the checkpoint. */
import { topicOf, type Logger } from '@cupel/contracts'
import {
  appendDeadLetter,
  deadLetterTopic,
  TYPE_HEADER,
  UndecodableRecordError,
  type EventCodec,
  type EventLog,
  type LogBatch,
  type LogRecord,
  type Subscription,
} from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { advanceCheckpoint, ensureCheckpoint } from '@cupel/projections'
import { insertDeliveries, type JobEnd } from '@cupel/webhooks'

export const DISPATCHER_GROUP = 'webhook-dispatcher.deliveries.v1'
export const dispatcherDeadLetterTopic = deadLetterTopic(DISPATCHER_GROUP)
const TOPICS = [topicOf('BulkCompleted'), topicOf('BulkCompleted', false)]
const MAX_BATCH_RECORDS = 100
const MAX_CONCURRENT_PARTITIONS = 4
/** How long a record waits for a schema a newer release may just have registered. */
const SCHEMA_WAIT_MS = 60_000

export interface FollowingOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  /** Deliveries were made. */
  readonly onDeliveries: () => void
  readonly onTrouble: (reason: string | null) => void
  /** Called where only an operator leads back. */
  readonly onStopped: (error: Error) => void
}

export async function followJobs(options: FollowingOptions): Promise<Subscription> {
  const { log, codec, database } = options
  const identity = await log.identity()
  const unknownSince = new Map<string, number>()

  return await log.subscribe({
    group: DISPATCHER_GROUP,
    topics: TOPICS,
    checkpoint: (position) => ensureCheckpoint(database, { group: DISPATCHER_GROUP, ...position }, identity),
    handle,
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    onStopped: options.onStopped,
    onRetry: (error) => options.onTrouble(error instanceof Error ? error.message : String(error)),
  })

  async function handle(batch: LogBatch): Promise<{ resumeAt: number } | undefined> {
    const ends: JobEnd[] = []
    for (const record of batch.records) {
      const end = await endOf(record)
      if (end !== null) ends.push(end)
    }
    const place = { topic: batch.topic, partition: batch.partition }
    const move = {
      ...place,
      expected: batch.firstOffset,
      next: batch.nextOffset,
      atEnd: batch.nextOffset >= batch.endOffset,
    }
    const moved = await database.transaction({ at: 'webhooks.deliveries' }, async (transaction) => {
      if (!(await advanceCheckpoint(transaction, { group: DISPATCHER_GROUP, log: identity, ...move })))
        return false
      await insertDeliveries(transaction, ends)
      return true
    })
    options.onTrouble(null)
    if (!moved)
      return {
        resumeAt: (await ensureCheckpoint(database, { group: DISPATCHER_GROUP, ...place }, identity)).next,
      }
    if (ends.length > 0) options.onDeliveries()
    return undefined
  }

  /** Null for records that tell of no end, and for one that nobody can read: that is laid aside. */
  async function endOf(record: LogRecord): Promise<JobEnd | null> {
    const type = record.headers[TYPE_HEADER]
    if (type !== 'BulkCompleted' && type !== 'BulkCancelled') return null
    try {
      const completed = codec.decodeAs('BulkCompleted', record)?.data
      if (completed !== undefined) {
        const { jobId, accountId, livemode, completedAt } = completed
        return { jobId, accountId, livemode, type: 'bulk.completed', endedAt: readTime(completedAt) }
      }
      const { jobId, accountId, livemode, cancelledAt } = codec.decodeAs('BulkCancelled', record)!.data
      return { jobId, accountId, livemode, type: 'bulk.cancelled', endedAt: readTime(cancelledAt) }
    } catch (error) {
      if (mayBecomeKnown(error, record)) throw error
      const cause = error instanceof Error ? error.message : String(error)
      options.logger.error(
        { err: error, topic: record.topic, offset: record.offset },
        'The end of a job cannot be read',
      )
      await appendDeadLetter(log, 'webhooks.deliveries', { group: DISPATCHER_GROUP, record, cause })
      return null
    }
  }

  function mayBecomeKnown(error: unknown, { topic, partition, offset }: LogRecord): boolean {
    if (!(error instanceof UndecodableRecordError) || error.reason !== 'unknown-schema') return false
    const place = `${topic}/${partition}/${offset}`
    const since = unknownSince.get(place) ?? performance.now()
    unknownSince.set(place, since)
    return performance.now() - since < SCHEMA_WAIT_MS
  }
}

function readTime(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new RangeError(`${text} is no time`)
  return at.toISOString()
}
