/**
 * Follows the log and keeps one read model up to date: rows and checkpoint in one transaction, or neither.
 * A record that cannot be applied stops this read model in front of it, with everything before it applied; a database
 * that is away is waited for. Nothing is ever skipped.
 */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog, LogBatch, LogIdentity, Position, Subscription } from '@cupel/event-log'
import { LogStoppedError, UndecodableRecordError } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createReduce, UnappliableRecordError, type ReducedRecord } from './apply.js'
import { ensureCheckpoint, markFollowed } from './checkpoint.js'
import { commitBatches, type PreparedBatch } from './commit-batches.js'
import { createCommitWindow } from './commit-window.js'
import { storeProjectionStatus, type ProjectionState, type ProjectionStatus } from './projection-state.js'
import { projectionMetrics } from './projection-metrics.js'
import { analyzeTables, hasCurrentDefinition } from './read-model-tables.js'
import { readModelGroup, type ReadModel } from './read-model.js'

/** Records of one partition taken at a time, where the read model names no other number. */
const MAX_BATCH_RECORDS = 500
const MAX_CONCURRENT_PARTITIONS = 64
/** Under load at most 20 transactions a second; an answer just given can be read that much later. */
const COMMIT_INTERVAL_MS = 50
/** How often state, lag and the ends reached are looked at and stored. */
const STATUS_INTERVAL_MS = 2_000
/** Pause before a subscription that could not be opened is tried again. */
const SUBSCRIBE_RETRY_MS = 1_000
/** How long a record may wait for the schema it was written with. */
const SCHEMA_WAIT_MS = 30_000

export interface RunReadModelOptions {
  readonly readModel: ReadModel
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly commitIntervalMs?: number
  readonly statusIntervalMs?: number
}

export interface RunningReadModel {
  readonly name: string
  status(): ProjectionStatus
  /** Finishes the batch in hand and leaves the group; other read models go on. */
  stop(): Promise<void>
}

export function runReadModel(options: RunReadModelOptions): RunningReadModel {
  const { readModel, log, codec, database, logger } = options
  const group = readModelGroup(readModel)
  const reduce = createReduce(readModel, codec)
  const metrics = projectionMetrics(options.metrics, readModel.name)
  const stopping = new AbortController()
  const commitIntervalMs = options.commitIntervalMs ?? readModel.commitIntervalMs ?? COMMIT_INTERVAL_MS

  let state: ProjectionState = 'idle'
  let error: string | null = null
  let stoppedAt: Position | null = null
  let lag: number | null = null
  let identity: LogIdentity | undefined
  let subscription: Subscription | undefined
  let unknownSchema: { place: string; since: number } | undefined
  let analyzing: Promise<void> | null = null
  let analyzeAgain = false
  let unsubscribing: Promise<void> | undefined

  const window = createCommitWindow<PreparedBatch, { resumeAt: number } | undefined>({
    intervalMs: commitIntervalMs,
    commit: (batches) =>
      commitBatches({ batches, database, group, log: identity!, schema: readModel.schema, metrics }),
  })
  const running = start()
  const watching = watch()

  return {
    name: readModel.name,
    status,
    async stop() {
      stopping.abort()
      await running
      await unsubscribe()
      await watching
      await analyzing
      if (state !== 'stopped') {
        state = 'idle'
        await store({ replacesStop: false })
      }
    },
  }

  async function start(): Promise<void> {
    while (!stopping.signal.aborted && state !== 'stopped') {
      try {
        await requireCurrentTables()
        identity = await log.identity()
        // A stop stored by an earlier process is history now; if its cause is still there it comes back.
        state = 'running'
        error = null
        await store({ replacesStop: true })
        subscription = await log.subscribe({
          group,
          topics: readModel.topics,
          checkpoint: (position) => ensureCheckpoint(database, { group, ...position }, identity!),
          handle,
          maxBatchRecords: readModel.maxBatchRecords ?? MAX_BATCH_RECORDS,
          concurrency: MAX_CONCURRENT_PARTITIONS,
          restMs: commitIntervalMs,
          onStopped: stop,
          onRetry: retrying,
        })
        if (isStopped()) await unsubscribe()
        return
      } catch (caught) {
        if (caught instanceof LogStoppedError) return stop(caught)
        retrying(caught)
        await pause(SUBSCRIBE_RETRY_MS, stopping.signal)
      }
    }
  }

  /** Tables of another definition are rebuilt by an operator while these wait; rows of the new kind would not fit them. */
  async function requireCurrentTables(): Promise<void> {
    const isCurrent = await hasCurrentDefinition(database, readModel)
    if (isCurrent === null) throw new Error(`The tables of ${readModel.name} do not exist yet`)
    if (!isCurrent) {
      throw new Error(
        `The tables of ${readModel.name} were made by another version: run cupel audit replay --target ${readModel.name}`,
      )
    }
  }

  async function handle(batch: LogBatch): Promise<{ resumeAt: number } | undefined> {
    if (isStopped()) return { resumeAt: batch.firstOffset }
    const { prepared, failure } = prepare(batch, reduce)
    try {
      if (prepared.nextOffset > prepared.firstOffset) {
        const outcome = await window.add(prepared)
        if (outcome !== undefined) return outcome
        recovered()
        if (prepared.records.some(({ type }) => readModel.resizedBy?.includes(type))) analyze()
      }
      if (failure === undefined) return undefined
      if (mayBecomeKnown(failure)) throw failure.cause
      throw failure
    } catch (caught) {
      if (!(caught instanceof UnappliableRecordError)) throw caught
      stop(caught)
      return { resumeAt: batch.firstOffset }
    }
  }

  /** In the background and one at a time: nothing waits for it, and what comes meanwhile is analyzed with the next one. */
  function analyze(): void {
    if (analyzing !== null) {
      analyzeAgain = true
      return
    }
    analyzing = analyzeTables(database, readModel, readModel.schema)
      .catch((caught: unknown) => {
        // Postgres takes statistics by itself too, only later.
        logger.warn(
          { err: caught, readModel: readModel.name },
          'Statistics could not be taken; look-ups may be slow for a while',
        )
      })
      .finally(() => {
        analyzing = null
        if (!analyzeAgain || stopping.signal.aborted) return
        analyzeAgain = false
        analyze()
      })
  }

  /** A newer release may just have registered the schema of a record: that is waited for, though not for ever. */
  function mayBecomeKnown({ cause, position }: UnappliableRecordError): boolean {
    if (!(cause instanceof UndecodableRecordError) || cause.reason !== 'unknown-schema') return false
    const place = `${position.topic}/${position.partition}/${position.offset}`
    if (unknownSchema?.place !== place) unknownSchema = { place, since: performance.now() }
    return performance.now() - unknownSchema.since < SCHEMA_WAIT_MS
  }

  /** Ends the projection for good: the record or the log it stopped at will not get better by waiting. */
  function stop(cause: Error): void {
    if (isStopped()) return
    state = 'stopped'
    error = cause.message
    stoppedAt = cause instanceof UnappliableRecordError ? cause.position : null
    metrics.stopped(true)
    logger.error(
      { err: cause, readModel: readModel.name, ...stoppedAt },
      `Projection stopped: ${cause.message}`,
    )
    void unsubscribe()
  }

  function retrying(caught: unknown, position?: Position): void {
    if (isStopped()) return
    const reason = caught instanceof Error ? caught.message : String(caught)
    metrics.retried()
    // An outage is one line in the log and a count, not a line per attempt.
    if (reason !== error) {
      logger.warn(
        { err: caught, readModel: readModel.name, ...position },
        `Projection will try again: ${reason}`,
      )
    }
    state = 'retrying'
    error = reason
  }

  function recovered(): void {
    if (state !== 'retrying') return
    state = 'running'
    error = null
  }

  /** Stores what the projection does, and looks how far it is from the end. A stop is stored once, so that it can be seen. */
  async function watch(): Promise<void> {
    metrics.stopped(false)
    let isStopStored = false
    while (!stopping.signal.aborted && !isStopStored) {
      await pause(options.statusIntervalMs ?? STATUS_INTERVAL_MS, stopping.signal)
      if (stopping.signal.aborted || (subscription === undefined && !isStopped())) continue
      if (isStopped()) {
        isStopStored = await store({ replacesStop: true })
      } else {
        await look(subscription!)
        await store({ replacesStop: false })
      }
    }
  }

  async function look(current: Subscription): Promise<void> {
    try {
      const ends = await Promise.all(
        current
          .assigned()
          .map(async (place) => ({ ...place, endOffset: await log.endOffset(place.topic, place.partition) })),
      )
      lag = current.lag()
      metrics.lag(lag)
      if (ends.length > 0) await markFollowed(database, { group, log: identity!, ends })
    } catch (caught) {
      // Nothing rests on this look: the stored time goes on ageing, which is what it is there to show.
      logger.debug({ err: caught, readModel: readModel.name }, 'The end of the log could not be looked up')
    }
  }

  async function store({ replacesStop }: { replacesStop: boolean }): Promise<boolean> {
    try {
      await storeProjectionStatus(database, status(), { replacesStop })
      return true
    } catch (caught) {
      logger.debug(
        { err: caught, readModel: readModel.name },
        'The state of the projection could not be stored',
      )
      return false
    }
  }

  async function unsubscribe(): Promise<void> {
    if (subscription === undefined) return
    unsubscribing ??= subscription.stop()
    await unsubscribing
  }

  function status(): ProjectionStatus {
    return { name: readModel.name, state, lag, error, stoppedAt }
  }

  function isStopped(): boolean {
    return state === 'stopped'
  }
}

/** The part of a batch that can be applied, and the record that cannot, if there is one. */
function prepare(
  batch: LogBatch,
  reduce: (record: LogBatch['records'][number]) => ReducedRecord,
): { prepared: PreparedBatch; failure?: UnappliableRecordError } {
  const records: ReducedRecord[] = []
  const place = { topic: batch.topic, partition: batch.partition, firstOffset: batch.firstOffset }
  for (const record of batch.records) {
    try {
      records.push(reduce(record))
    } catch (error) {
      if (!(error instanceof UnappliableRecordError)) throw error
      return { prepared: { ...place, records, nextOffset: record.offset, atEnd: false }, failure: error }
    }
  }
  return {
    prepared: { ...place, records, nextOffset: batch.nextOffset, atEnd: batch.nextOffset >= batch.endOffset },
  }
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, durationMs)
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
