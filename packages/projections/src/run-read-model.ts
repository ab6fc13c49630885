/**
 * Follows the log and keeps one read model up to date: rows and checkpoint are committed in one transaction.
 * The read model stops before a record that cannot be applied, with all earlier records applied. If the database is
 * unreachable, it waits. It never skips a record.
 */
import { sleep } from '@cupel/kit/concurrency'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import { LogStoppedError, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { applyChanges, createReduce, type ReducedRecord } from './apply.js'
import { consume, type Consumer } from './consume/consume.js'
import { inTransaction } from './consume/in-transaction.js'
import { UnappliableRecordError } from './consume/unappliable-record.js'
import { onNudge } from './nudges.js'
import { storeProjectionStatus, type ProjectionStatus, type SeenEnds } from './projection-state.js'
import { projectionMetrics, type ProjectionMetrics } from './projection-metrics.js'
import { createRecordTraces } from './record-traces.js'
import { analyzeTables, hasCurrentTables } from './read-model-tables.js'
import { readModelGroup, type ReadModel } from './read-model.js'

/** Default number of records of one partition in one batch. */
const MAX_BATCH_RECORDS = 500
const MAX_CONCURRENT_PARTITIONS = 64
/**
 * The rest before the next read when all records were read. A busy log is then read in few large pieces, and its rows are committed
 * in few transactions. A caller that waits for a record nudges the read model.
 */
const REST_MS = 200
/** Under load at most 20 transactions a second: a record becomes readable up to this much later. */
const COMMIT_INTERVAL_MS = 50
/** Interval at which the state, the lag and the ends reached are checked and stored. */
const STATUS_INTERVAL_MS = 2_000
/** How long a record may wait for the schema it was written with. */
const SCHEMA_PATIENCE_MS = 30_000

export interface RunReadModelOptions {
  readonly readModel: ReadModel
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  readonly commitIntervalMs?: number
  readonly statusIntervalMs?: number
  /** The client of the log hangs. Records and tables are intact: a new process continues where this one stopped. */
  readonly onStuck?: (error: LogStoppedError) => void
}

export interface RunningReadModel {
  readonly name: string
  status(): ProjectionStatus
  /** Finishes the batch in hand and leaves the group; other read models go on. */
  stop(): Promise<void>
}

export function runReadModel(options: RunReadModelOptions): RunningReadModel {
  const { readModel } = options
  const stopping = new AbortController()
  const metrics = projectionMetrics(options.metrics, readModel.name)
  const statistics = createStatistics(options)
  const state: State = {
    options,
    metrics,
    consumer: null,
    hasBegun: false,
    isStored: false,
    hasEnded: false,
    lag: null,
  }
  const consumer = follow(state, statistics)
  state.consumer = consumer
  const { database, logger } = options
  const nudged = onNudge(
    database,
    { group: readModelGroup(readModel), hurry: () => consumer.nudge() },
    logger,
  )
  const watching = watch(state, stopping.signal)

  return {
    name: readModel.name,
    status: () => statusOf(state),
    async stop() {
      stopping.abort()
      await nudged.stop()
      await consumer.stop()
      await watching
      await statistics.idle()
      state.hasEnded = true
      if (consumer.stoppedBy() === null) await store(state, { replacesStop: false })
    },
  }
}

interface State {
  readonly options: RunReadModelOptions
  readonly metrics: ProjectionMetrics
  consumer: Consumer | null
  /** The tables are current: reading has begun, or begins as soon as the log answers. */
  hasBegun: boolean
  /** A state was stored since reading began: until then it replaces a stop that an earlier process stored. */
  isStored: boolean
  hasEnded: boolean
  lag: number | null
}

function follow(state: State, statistics: Statistics): Consumer {
  const { readModel, log, codec, database, logger, tracing, commitIntervalMs } = state.options
  const { metrics } = state
  const intervalMs = commitIntervalMs ?? readModel.commitIntervalMs ?? COMMIT_INTERVAL_MS
  const traces = tracing ? createRecordTraces(tracing, readModel.name, log.kind) : null
  const reduce = createReduce(readModel, { codec, macs: log.macs })
  return consume<ReducedRecord>({
    ...{ log, logger },
    group: readModelGroup(readModel),
    topics: readModel.topics,
    maxBatchRecords: readModel.maxBatchRecords ?? MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    restMs: commitIntervalMs ?? readModel.restMs ?? readModel.commitIntervalMs ?? REST_MS,
    schemaPatienceMs: SCHEMA_PATIENCE_MS,
    async ready() {
      await requireCurrentTables(database, readModel)
      state.hasBegun = true
      // A stop that an earlier process stored is no longer current; if its cause remains, the stop is stored again.
      state.isStored = false
      await store(state, { replacesStop: false })
    },
    read: traces === null ? reduce : (record) => traces.noted(record, reduce(record)),
    commit: inTransaction<ReducedRecord, void>({
      database,
      at: 'projector.batch',
      synchronousCommit: 'off',
      intervalMs,
      async write(transaction, batches) {
        // A rebuild of another version may have switched the tables since the start. It holds the checkpoints that have just moved.
        await requireCurrentTables(transaction, readModel)
        await applyChanges(
          transaction,
          readModel.schema,
          batches.flatMap(({ outcomes }) => outcomes.flatMap(({ changes }) => changes)),
        )
      },
      onCommitted({ batches, durationMs }) {
        metrics.committed(
          batches.reduce((total, { outcomes }) => total + outcomes.length, 0),
          durationMs,
        )
        traces?.committed(batches)
        const { resizedBy } = readModel
        if (resizedBy === undefined) return
        if (
          batches.some(({ outcomes }) =>
            outcomes.some(({ type }) => type !== null && resizedBy.includes(type)),
          )
        )
          statistics.take()
      },
      onRefused: metrics.refused,
    }),
    onRetry: metrics.retried,
    onStopped(error) {
      metrics.stopped(true)
      if (error instanceof LogStoppedError && error.reason === 'stuck') state.options.onStuck?.(error)
    },
  })
}

/** Tables of another definition stay until an operator rebuilds them: rows of the new kind would not fit them. */
async function requireCurrentTables(database: Queryable, readModel: ReadModel): Promise<void> {
  const hasCurrent = await hasCurrentTables(database, readModel)
  if (hasCurrent === null) throw new Error(`The tables of ${readModel.name} do not exist yet`)
  if (!hasCurrent)
    throw new Error(
      `The tables of ${readModel.name} were made by another version: run cupel audit replay --target ${readModel.name}`,
    )
}

interface Statistics {
  /** Updates the statistics of the tables in the background. A call during a run leads to one more run after it. */
  take(): void
  /** Resolves when no run is active. */
  idle(): Promise<void>
}

function createStatistics({ database, readModel, logger }: RunReadModelOptions): Statistics {
  let isDue = false
  let taking: Promise<void> | null = null

  async function takeAll(): Promise<void> {
    while (isDue) {
      isDue = false
      try {
        await analyzeTables(database, readModel, readModel.schema)
      } catch (error) {
        // Postgres updates statistics by itself too, only later.
        logger.warn(
          { err: error, readModel: readModel.name },
          'Statistics could not be taken; queries may be slow for a while',
        )
      }
    }
    taking = null
  }

  return {
    take() {
      isDue = true
      taking ??= takeAll()
    },
    async idle() {
      isDue = false
      await taking
    },
  }
}

/** Stores the state of the projection and its distance from the end. A stop is stored once, so that it can be seen. */
async function watch(state: State, signal: AbortSignal): Promise<void> {
  const { metrics, options } = state
  metrics.stopped(false)
  let isStopStored = false
  while (!signal.aborted && !isStopStored) {
    const intervalMs = options.statusIntervalMs ?? STATUS_INTERVAL_MS
    // All projections of the process look at the same moments, so they share the statement that reads the ends.
    await sleep(intervalMs - (performance.now() % intervalMs), signal)
    const consumer = state.consumer!
    if (signal.aborted || (!state.hasBegun && consumer.stoppedBy() === null)) continue
    if (consumer.stoppedBy() !== null) {
      isStopStored = await store(state, { replacesStop: true })
    } else {
      const isStored = await store(state, { replacesStop: false, seen: await look(state, consumer) })
      // A rebuild may hold the checkpoints for longer than a statement may take. The state is visible nevertheless.
      if (!isStored && !signal.aborted) await store(state, { replacesStop: false })
    }
  }
}

/** The ends of the assigned partitions; null if they cannot be read. */
async function look(state: State, consumer: Consumer): Promise<SeenEnds | null> {
  const { log, logger, readModel } = state.options
  try {
    const ends = await Promise.all(
      consumer
        .assigned()
        .map(async (place) => ({ ...place, endOffset: await log.endOffset(place.topic, place.partition) })),
    )
    state.lag = consumer.lag()
    state.metrics.lag(state.lag)
    return { group: readModelGroup(readModel), log: await log.identity(), ends }
  } catch (error) {
    // No decision depends on this check. If it fails, the stored time grows older and shows the failure.
    logger.debug({ err: error, readModel: readModel.name }, 'The end of the log could not be read')
    return null
  }
}

async function store(
  state: State,
  order: { readonly replacesStop: boolean; readonly seen?: SeenEnds | null },
): Promise<boolean> {
  const { database, logger, readModel } = state.options
  try {
    const isFirst = state.hasBegun && !state.isStored
    await storeProjectionStatus(database, statusOf(state), {
      ...order,
      replacesStop: order.replacesStop || isFirst,
    })
    if (state.hasBegun) state.isStored = true
    return true
  } catch (error) {
    logger.debug({ err: error, readModel: readModel.name }, 'The state of the projection could not be stored')
    return false
  }
}

function statusOf({ options, consumer, hasBegun, hasEnded, lag }: State): ProjectionStatus {
  const { name } = options.readModel
  const stop = consumer?.stoppedBy() ?? null
  if (stop !== null) {
    const stoppedAt = stop instanceof UnappliableRecordError ? stop.position : null
    return { name, state: 'stopped', lag, error: stop.message, stoppedAt }
  }
  const trouble = hasEnded ? null : (consumer?.problem() ?? null)
  const calm = hasBegun && !hasEnded ? 'running' : 'idle'
  return { name, state: trouble === null ? calm : 'retrying', lag, error: trouble, stoppedAt: null }
}
