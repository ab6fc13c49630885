/** Makes a checkpoint at an interval if records are new. Several processes may run it: one number is signed once. */
import { createPauses, startLoop } from '@cupel/concurrency'
import type { Logger, Metrics, TopicSpec } from '@cupel/contracts'
import { type EventLog, type Place, placesOf } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { SigningKeys } from '@cupel/signing'
import { CheckpointsStoppedError } from './checkpoint-files.js'
import { makeCheckpoint } from './make-checkpoint.js'
import { openHistory, requireSameEnds, type History } from './open-history.js'
import { publishKeys } from './publish-keys.js'
import { loadState } from './state.js'

/** Calls that the process serves go first. The pauses are short against the interval. */
const PAUSES = { factor: 4, totalMs: 2_000 }

export interface CheckpointSettings {
  readonly keys: SigningKeys
  /** Folders of the files: first the home's folder, then those of copies. */
  readonly folders: readonly string[]
  readonly intervalMs: number
}

export interface CheckpointsOptions extends CheckpointSettings {
  readonly log: EventLog
  readonly database: Database
  readonly topics: readonly TopicSpec[]
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface RunningCheckpoints {
  /** A sentence that says why no checkpoints are made; null while they are made. */
  error(): string | null
  stop(): Promise<void>
}

export function startCheckpoints(options: CheckpointsOptions): RunningCheckpoints {
  const { log, database, keys, logger, intervalMs, metrics } = options
  const made = metrics.counter('checkpoints_total', 'Checkpoints of the log that were signed')
  const hashed = metrics.counter('checkpoint_records_total', 'Records that checkpoints cover')
  const stopped = metrics.gauge('checkpoints_stopped', '1 if no checkpoint can be made')
  let history: History | null = null
  let places: readonly Place[] | null = null
  let error: string | null = null

  async function step(signal: AbortSignal): Promise<number | undefined> {
    if (places === null) {
      places = await placesOf(log, options.topics)
      await publishKeys(database, keys)
    }
    if (history === null) {
      history = await openHistory({ ...options, verifier: keys.verifier })
      await requireSameEnds(log, history)
    } else if ((await loadState(database, history.log)).head?.number !== history.head?.number) {
      // Another process has just made one. This process follows, and takes over if that one ends.
      history = await openHistory({ ...options, verifier: keys.verifier })
      return undefined
    }
    const pauses = createPauses({ ...PAUSES, signal })
    const result = await makeCheckpoint(history, { log, database, places, signer: keys.signer, pauses })
    working()
    if (result === 'nothing') return undefined
    if (result === 'overtaken') {
      history = null
      return undefined
    }
    history = result.history
    made.inc()
    hashed.inc({}, result.records)
    return result.hasMore ? 0 : undefined
  }

  function working(): void {
    if (error !== null) logger.info({}, 'Checkpoints of the log are made again')
    error = null
    stopped.set(0)
  }

  function failed(cause: unknown): void {
    // The next attempt reads the half-done state again.
    history = null
    const message = (cause as Error).message
    if (error !== message) {
      if (cause instanceof CheckpointsStoppedError) logger.error({}, `No checkpoint is made: ${message}`)
      else logger.warn({ err: cause }, 'A checkpoint could not be made and is tried again')
    }
    error = message
    stopped.set(1)
  }

  const loop = startLoop({ step, restMs: intervalMs, onError: failed })
  return { error: () => error, stop: () => loop.stop() }
}
