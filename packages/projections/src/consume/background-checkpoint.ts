/**
 * The checkpoint of a consumer whose work finishes out of order and is acknowledged by the log. In the background it moves to
 * the highest offset below which everything is acknowledged. A crash repeats a little work and never skips any.
 */
import { createSlots, startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { type LogIdentity, placeOf } from '@cupel/event-log'
import { failpoint, type FailpointName } from '@cupel/kit/failpoints'
import type { Database } from '@cupel/postgres'
import {
  advanceCheckpoints,
  createCheckpointLoads,
  ensureCheckpoint,
  ensureCheckpoints,
  type CheckpointMove,
  type StoredCheckpoint,
} from '../checkpoint.js'
import { contiguousOffsets, type ContiguousOffsets } from './contiguous-offsets.js'

/** Interval between checks whether to store. Each store is one round trip for all partitions, and waits for the disk. */
const STORE_INTERVAL_MS = 200
/** While a crash would repeat fewer records than this, a store is put off, but for at most PUT_OFF_MS. */
const AT_RISK_RECORDS = 100
/** A crash repeats at most the work of this time. */
const PUT_OFF_MS = 1_000

export interface AcknowledgedRange {
  readonly topic: string
  readonly partition: number
  readonly firstOffset: number
  readonly nextOffset: number
}

export interface BackgroundCheckpoint {
  /**
   * The stored checkpoint, for `subscribe`. Forgets all acknowledgements beyond it, because reading starts there again.
   */
  load(position: { topic: string; partition: number }): Promise<StoredCheckpoint>
  /** All effects of the records `firstOffset` ≤ offset < `nextOffset` are acknowledged. */
  acknowledged(range: AcknowledgedRange): void
  /** Stores the acknowledged position. Rejects if the database does not answer. */
  flush(): Promise<void>
  /** Flushes and ends. If the database does not answer, the next member repeats the work. */
  stop(): Promise<void>
}

export interface BackgroundCheckpointOptions {
  readonly database: Database
  readonly group: string
  readonly log: LogIdentity
  readonly at: FailpointName
  readonly logger: Logger
  readonly intervalMs?: number
  /** Instead of PUT_OFF_MS. */
  readonly putOffMs?: number
  /** Another member has moved the checkpoint: the partition is now assigned to that member. */
  readonly onLost?: (position: { topic: string; partition: number }) => void
}

interface Progress {
  readonly topic: string
  readonly partition: number
  readonly offsets: ContiguousOffsets
  stored: number
}

export function createBackgroundCheckpoint(options: BackgroundCheckpointOptions): BackgroundCheckpoint {
  const { database, group, log, logger } = options
  const progress = new Map<string, Progress>()
  // One at a time: a checkpoint that is loaded during a store would be the old one.
  const inTurn = createSlots(1)
  const intervalMs = options.intervalMs ?? STORE_INTERVAL_MS
  const putOffMs = options.putOffMs ?? PUT_OFF_MS
  let storedAt = -Infinity
  let isStopped = false

  const dirtyNow = (): Progress[] => [...progress.values()].filter((one) => one.offsets.next() > one.stored)

  /** Stores if enough is at risk, or was for long enough. */
  async function storeIfDue(): Promise<void> {
    const atRisk = dirtyNow().reduce((sum, one) => sum + one.offsets.next() - one.stored, 0)
    if (atRisk >= AT_RISK_RECORDS || performance.now() - storedAt >= putOffMs) await flush()
  }

  async function flush(): Promise<void> {
    await inTurn(async () => {
      const dirty = dirtyNow()
      if (dirty.length === 0) return
      storedAt = performance.now()
      await store(options, progress, dirty)
    })
  }

  const loop = startLoop({
    step: storeIfDue,
    restMs: intervalMs,
    firstAfterMs: intervalMs,
    onError: (error) =>
      logger.warn({ err: error, group }, 'Checkpoints could not be stored and will be tried again'),
  })

  const load = createCheckpointLoads((places) =>
    inTurn(async () => {
      const checkpoints = await ensureCheckpoints(database, { group, log, places })
      for (const [index, { topic, partition }] of places.entries()) {
        const { next } = checkpoints[index]!
        const offsets = contiguousOffsets(next)
        progress.set(placeOf({ topic, partition }), { topic, partition, stored: next, offsets })
      }
      return checkpoints
    }),
  )

  return {
    load,
    acknowledged(range) {
      if (!isStopped) progress.get(placeOf(range))?.offsets.add(range.firstOffset, range.nextOffset)
    },
    flush,
    async stop() {
      isStopped = true
      await loop.stop()
      await flush().catch((error: unknown) =>
        logger.warn(
          { err: error, group },
          'The last checkpoints could not be stored: their work will be repeated',
        ),
      )
    },
  }
}

async function store(
  options: BackgroundCheckpointOptions,
  progress: Map<string, Progress>,
  dirty: readonly Progress[],
): Promise<void> {
  const { database, group, log } = options
  const moves = dirty.map((one): CheckpointMove => ({
    topic: one.topic,
    partition: one.partition,
    expected: one.stored,
    next: one.offsets.next(),
  }))
  // Each checkpoint moves independently, so that the statement needs no transaction around it.
  failpoint('before', options.at)
  const moved = await advanceCheckpoints(database, { group, log, moves })
  failpoint('after', options.at)
  const places = new Map(moved.map((move) => [placeOf(move), move.next]))
  for (const one of dirty) {
    const next = places.get(placeOf(one))
    if (next === undefined) await giveWay(options, progress, one)
    else one.stored = next
  }
}

/** The stored checkpoint is not the one that this member expects. */
async function giveWay(
  { database, group, log, logger, onLost }: BackgroundCheckpointOptions,
  progress: Map<string, Progress>,
  one: Progress,
): Promise<void> {
  const { topic, partition } = one
  if (progress.get(placeOf(one)) !== one) return
  const { next } = await ensureCheckpoint(database, { group, topic, partition }, log)
  if (next < one.stored) {
    // The database lost a commit. Acknowledged work stays acknowledged: the next store continues from there.
    one.stored = next
    return
  }
  progress.delete(placeOf(one))
  logger.warn(
    { group, topic, partition, stored: next },
    'Another member moved the checkpoint of this partition',
  )
  onLost?.({ topic, partition })
}
