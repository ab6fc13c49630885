/**
 * Reads facts about jobs from the bulk topics and the bulk half of the report topics, and applies them together with the checkpoint.
 */
import { laneOfReportPartition, topicOf, type Logger, type Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog, LogRecord } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { consume, inTransaction, Unhandleable, type Consumer } from '@cupel/projections'
import { applyFacts, type Applied } from './apply.js'
import { factOf, isReportTopic, type Fact } from './facts.js'
import { membershipOf } from './membership.js'
import type { Fence } from './lease-table.js'

/** Names the checkpoints, the lag and the dead letters. */
export const COORDINATOR_GROUP = 'bulk-coordinator.jobs.v1'

const MAX_BATCH_RECORDS = 500
const MAX_CONCURRENT_PARTITIONS = 64
const MAX_BATCHES_PER_TRANSACTION = 16
/** How long a record may wait for the schema it was written with. */
const SCHEMA_PATIENCE_MS = 30_000

export interface FollowJobsOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly fence: Fence
  /** Called after each commit, before reading goes on. */
  readonly onApplied: (applied: Applied) => void
  readonly onStopped: (error: Error) => void
}

export function followJobs(options: FollowJobsOptions): Consumer {
  const { log, codec, database, logger, metrics, fence, onApplied, onStopped } = options
  return consume<Fact | null>({
    ...{ log, logger, onStopped },
    group: COORDINATOR_GROUP,
    membership: membershipOf(log, COORDINATOR_GROUP),
    topics: [true, false].flatMap((live) => [
      topicOf('BulkSubmitted', live),
      topicOf('ReportGenerated', live),
    ]),
    reads: ({ topic, partition }) => !isReportTopic(topic) || laneOfReportPartition(partition) === 'bulk',
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    schemaPatienceMs: SCHEMA_PATIENCE_MS,
    read: (record) => readFact(codec, record),
    deadLetters: { at: 'bulk.dead-letter', metrics, window: {} },
    commit: inTransaction<Fact | null, Applied>({
      database,
      at: 'bulk.facts',
      maxBatches: MAX_BATCHES_PER_TRANSACTION,
      async write(transaction, batches) {
        await fence(transaction)
        return await applyFacts(
          transaction,
          batches.flatMap(({ outcomes }) => outcomes.filter((fact) => fact !== null)),
        )
      },
      onCommitted: ({ result }) => onApplied(result),
    }),
  })
}

/** A submission that contradicts itself is dead-lettered, and its job fails instead of waiting for ever. */
function readFact(codec: EventCodec, record: LogRecord): Fact | null | Unhandleable<Fact | null> {
  const fact = factOf(codec, record)
  const contradiction = fact?.kind === 'submission' ? fact.submission.contradiction : null
  return contradiction === null ? fact : new Unhandleable<Fact | null>(contradiction, fact)
}
