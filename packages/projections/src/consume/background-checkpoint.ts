/**
 * The checkpoint of a consumer whose work is finished out of order and acknowledged by the log itself. It moves to the
 * lowest offset below which everything is acknowledged, in the background: a crash repeats a little work, never skips any.
 */
import type { Logger } from '@cupel/contracts'
import type { LogIdentity } from '@cupel/event-log'
import type { FailpointName } from '@cupel/failpoints'
import type { Database } from '@cupel/postgres'
import {
  advanceCheckpoints,
  ensureCheckpoint,
  placeOf,
  type CheckpointMove,
  type StoredCheckpoint,
} from '../checkpoint.js'
import { contiguousOffsets, type ContiguousOffsets } from './contiguous-offsets.js'

/** Work that is repeated after a crash, at most; one round trip for all partitions each time. */
const STORE_INTERVAL_MS = 200

export interface AcknowledgedRange {
  readonly topic: string
  readonly partition: number
  readonly firstOffset: number
  readonly nextOffset: number
}

export interface BackgroundCheckpoint {
  /**
   * The stored checkpoint: what `subscribe` asks for on assignment. Forgets what was acknowledged beyond it, because
   * reading starts there again.
   */
  load(position: { topic: string; partition: number }): Promise<StoredCheckpoint>
  /** `firstOffset` ≤ offset < `nextOffset` is dealt with and everything that follows from it is acknowledged. */
  acknowledged(range: AcknowledgedRange): void
  /** Stores what is acknowledged now. Rejects if the database cannot be asked. */
  flush(): Promise<void>
  /** Flushes and ends; a database that is away is left alone, the work is repeated. */
  stop(): Promise<void>
}

export interface BackgroundCheckpointOptions {
  readonly database: Database
  readonly group: string
  readonly log: LogIdentity
  readonly at: FailpointName
  readonly logger: Logger
  readonly intervalMs?: number
  /** Another member has moved the checkpoint: this one's partition was taken from it. */
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
  let last: Promise<unknown> = Promise.resolve()
  let busy = 0
  let stopped = false

  const timer = setInterval(() => {
    if (busy > 0) return
    void flush().catch((error: unknown) => {
      logger.warn({ err: error, group }, 'Checkpoints could not be stored and will be tried again')
    })
  }, options.intervalMs ?? STORE_INTERVAL_MS)
  timer.unref()

  /** One at a time: a checkpoint that is loaded while it is being stored would be the one from before. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    busy += 1
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      busy -= 1
    }
  }

  async function flush(): Promise<void> {
    await inTurn(async () => {
      const dirty = [...progress.values()].filter((one) => one.offsets.next() > one.stored)
      if (dirty.length > 0) await store(dirty)
    })
  }

  async function store(dirty: readonly Progress[]): Promise<void> {
    const moves = dirty.map((one): CheckpointMove => ({
      topic: one.topic,
      partition: one.partition,
      expected: one.stored,
      next: one.offsets.next(),
    }))
    const moved = await database.transaction({ at: options.at }, (transaction) =>
      advanceCheckpoints(transaction, { group, log, moves }),
    )
    const places = new Map(moved.map((move) => [placeOf(move), move.next]))
    for (const one of dirty) {
      const next = places.get(placeOf(one))
      if (next === undefined) await giveWay(one)
      else one.stored = next
    }
  }

  /** The stored checkpoint is not the one this member knows. */
  async function giveWay(one: Progress): Promise<void> {
    const { topic, partition } = one
    if (progress.get(placeOf(one)) !== one) return
    const { next } = await ensureCheckpoint(database, { group, topic, partition }, log)
    if (next < one.stored) {
      // The database lost a commit. What was acknowledged still is: the next store moves on from there.
      one.stored = next
      return
    }
    progress.delete(placeOf(one))
    logger.warn(
      { group, topic, partition, stored: next },
      'Another member moved the checkpoint of this partition',
    )
    options.onLost?.({ topic, partition })
  }

  return {
    load: ({ topic, partition }) =>
      inTurn(async () => {
        const checkpoint = await ensureCheckpoint(database, { group, topic, partition }, log)
        const known = {
          topic,
          partition,
          stored: checkpoint.next,
          offsets: contiguousOffsets(checkpoint.next),
        }
        progress.set(placeOf(known), known)
        return checkpoint
      }),
    acknowledged({ topic, partition, firstOffset, nextOffset }) {
      if (stopped) return
      progress.get(placeOf({ topic, partition }))?.offsets.add(firstOffset, nextOffset)
    },
    flush,
    async stop() {
      stopped = true
      clearInterval(timer)
      await flush().catch((error: unknown) => {
        logger.warn(
          { err: error, group },
          'The last checkpoints could not be stored: their work will be repeated',
        )
      })
    },
  }
}
