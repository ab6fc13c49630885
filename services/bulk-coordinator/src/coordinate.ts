/** What the holder of the lease does: reads jobs and outcomes, releases screenings, announces ends. */
import { randomUUID } from 'node:crypto'
import { topicOf, type Logger, type Metrics } from '@cupel/contracts'
import {
  appendDeadLetter,
  deadLetterTopic,
  UndecodableRecordError,
  type EventCodec,
  type EventLog,
  type LogBatch,
  type LogRecord,
} from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { ensureCheckpoint, type CheckpointMove } from '@cupel/projections'
import { createAnnounce } from './announce.js'
import { applyFacts, type Applied, type FactBatch } from './apply.js'
import { createBacklog } from './backlog.js'
import { sweep } from './early-outcomes.js'
import { factOf, type Fact } from './facts.js'
import { createGather } from './gather.js'
import { isInteractive, watchInteractiveDwell } from './interactive-dwell.js'
import { listOpenJobs } from './job-table.js'
import { createPace, PACE_INTERVAL_MS } from './pace.js'
import { createRelease } from './release.js'
import { startLoop } from './wake.js'

/** Names the checkpoints, the lag and the dead letters. */
export const COORDINATOR_GROUP = 'bulk-coordinator.jobs.v1'
const DWELL_GROUP = 'bulk-coordinator.dwell.v1'
export const coordinatorDeadLetterTopic = deadLetterTopic(COORDINATOR_GROUP)

export interface CoordinateOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly dwellTargetMs: number
  /** Null while all is well, else why something is being tried again. */
  readonly onState: (problem: string | null) => void
  /** Only a restart leads back. */
  readonly fail: (reason: string, error: unknown) => void
}

const MAX_BATCH_RECORDS = 500
const MAX_CONCURRENT_PARTITIONS = 64
/** Batches of one transaction. */
const MAX_GATHERED = 16
const SWEEP_INTERVAL_MS = 60_000
/** How long a record may wait for the schema it was written with. */
const SCHEMA_PATIENCE_MS = 30_000

export async function coordinate(options: CoordinateOptions, signal: AbortSignal): Promise<void> {
  const { log, codec, database, logger, metrics } = options
  const identity = await log.identity()
  const backlog = createBacklog()
  const pace = createPace({ dwellTargetMs: options.dwellTargetMs, metrics })
  const unknownSince = new Map<string, number>()
  const openJobs = metrics.gauge('bulk_open_jobs', 'Bulk jobs that have not ended')
  const waiting = metrics.gauge('bulk_waiting_items', 'Screenings of bulk jobs not yet released')
  const underWay = metrics.gauge('bulk_under_way_items', 'Screenings of bulk jobs released and not ended')
  const ended = metrics.counter('bulk_jobs_ended_total', 'Bulk jobs that ended')
  backlog.add(await listOpenJobs(database))

  const broken = new AbortController()
  const complain = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error)
    logger.warn({ err: error, group: COORDINATOR_GROUP }, `Bulk jobs wait: ${reason}`)
    options.onState(reason)
  }
  const release = startLoop({
    step: createRelease({ log, codec, database, backlog, pace }),
    atLatestMs: PACE_INTERVAL_MS,
    onError: (error) => {
      complain(error)
      // What is remembered and what is stored may differ now: begin from what is stored.
      broken.abort()
    },
  })
  const announce = startLoop({
    step: createAnnounce({ log, codec, database }),
    atLatestMs: PACE_INTERVAL_MS,
    onError: complain,
  })

  const context = { database, group: COORDINATOR_GROUP, log: identity }
  const learn = (applied: Applied): void => {
    backlog.add(applied.opened)
    for (const { jobId, ...change } of applied.changed) backlog.changed(jobId, change)
    pace.ended(applied.endedReportIds)
    for (const { jobId, cause } of applied.refused) logger.error({ jobId, cause }, 'A bulk job cannot run')
    const endings = applied.changed.filter(({ hasEnded }) => hasEnded).length
    ended.inc({}, endings)
    openJobs.set(backlog.size())
    release.wake()
    if (endings > 0) announce.wake()
  }
  const gather = createGather<FactBatch, { readonly resumeAt: number } | undefined>(async (batches) => {
    const applied = await applyFacts(context, batches)
    learn(applied)
    return await Promise.all(batches.map(async ({ move }) => resumption(move, applied)))
  }, MAX_GATHERED)

  /** Where a checkpoint was not as expected, what is stored decides. */
  async function resumption(
    move: CheckpointMove,
    { moved }: Applied,
  ): Promise<{ resumeAt: number } | undefined> {
    if (moved.has(move)) return undefined
    return {
      resumeAt: (await ensureCheckpoint(database, { group: COORDINATOR_GROUP, ...move }, identity)).next,
    }
  }

  async function handle(batch: LogBatch): Promise<{ readonly resumeAt: number } | undefined> {
    const facts: Fact[] = []
    for (const record of batch.records) {
      const fact = await read(record)
      if (fact !== null) facts.push(fact)
    }
    const { topic, partition, firstOffset, nextOffset, endOffset } = batch
    const move = { topic, partition, expected: firstOffset, next: nextOffset, atEnd: nextOffset >= endOffset }
    const outcome = await gather.add({ move, facts })
    options.onState(null)
    return outcome
  }

  /** What cannot be read is laid aside, and those behind it go on. */
  async function read(record: LogRecord): Promise<Fact | null> {
    try {
      const fact = factOf(codec, record)
      if (fact?.kind === 'submission' && fact.submission.contradiction !== null)
        await layAside(record, fact.submission.contradiction)
      return fact
    } catch (error) {
      if (!(error instanceof UndecodableRecordError)) throw error
      if (error.reason === 'unknown-schema' && mayBecomeKnown(record)) throw error
      await layAside(record, error.message)
      return null
    }
  }

  async function layAside(record: LogRecord, cause: string): Promise<void> {
    logger.error(
      { key: record.key, offset: record.offset, cause },
      'A record about a bulk job cannot be handled',
    )
    await appendDeadLetter(log, 'bulk.dead-letter', { group: COORDINATOR_GROUP, record, cause })
  }

  function mayBecomeKnown({ topic, partition, offset }: LogRecord): boolean {
    const place = `${topic}/${partition}/${offset}`
    const since = unknownSince.get(place)
    if (since !== undefined) return performance.now() - since < SCHEMA_PATIENCE_MS
    unknownSince.set(place, performance.now())
    return true
  }

  const stopped = (error: Error): void => {
    options.onState(error.message)
    options.fail('The bulk coordinator has stopped reading', error)
  }
  const dwell = await watchInteractiveDwell({
    ...{ log, group: membership(log, DWELL_GROUP), onStopped: stopped, onRetry: complain },
    onDwell: (dwellMs) => pace.interactive(dwellMs),
  })
  const subscription = await log.subscribe({
    group: membership(log, COORDINATOR_GROUP),
    topics: [true, false].flatMap((live) => [
      topicOf('BulkSubmitted', live),
      topicOf('ReportGenerated', live),
    ]),
    reads: (place) => !isInteractive(place),
    checkpoint: async (position) =>
      await ensureCheckpoint(database, { group: COORDINATOR_GROUP, ...position }, identity),
    handle,
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    onStopped: stopped,
    onRetry: complain,
  })
  options.onState(null)
  const pacing = setInterval(() => {
    pace.adapt()
    waiting.set(backlog.waiting())
    underWay.set(backlog.underWay())
  }, PACE_INTERVAL_MS)
  const sweeping = setInterval(() => {
    sweep(database).catch((error: unknown) =>
      logger.warn({ err: error }, 'Ended bulk jobs could not be swept'),
    )
  }, SWEEP_INTERVAL_MS)
  try {
    await aborted(AbortSignal.any([signal, broken.signal]))
  } finally {
    clearInterval(pacing)
    clearInterval(sweeping)
    await Promise.all([subscription.stop(), dwell.stop()])
    await Promise.all([release.stop(), announce.stop()])
  }
}

/**
 * The lease says who reads, not the group. On Kafka each holder joins a group of its own, so that it need not wait until the
 * broker has missed the one before (docs/adr/0102).
 */
function membership(log: EventLog, group: string): string {
  return log.kind === 'kafka' ? `${group}.${randomUUID()}` : group
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
