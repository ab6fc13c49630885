/**
 * Tells followers how running jobs stand. Each followed job is read once per round, whatever the number of its
 * followers, and the rounds are spaced so that they take a small part of the time of one connection.
 */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { JobOverview } from '../../read-model/index.js'
import type { Tenant } from '@cupel/projections'

export interface JobWatch {
  /** Calls `tell` with the result of a round, at least whenever it differs from the round before, until the returned function is called. */
  follow(tenant: Tenant, jobId: string, tell: (job: JobOverview) => void): () => void
  stop(): Promise<void>
}

export interface JobWatchOptions {
  readonly logger: Logger
  /** Null if it is not known at the moment. */
  readonly read: (tenant: Tenant, jobId: string) => Promise<JobOverview | null>
}

/** Time between two rounds: often enough for a progress bar. */
const ROUND_MS = 500
/** The rest after a round is at least this many times as long as the round took. */
const REST_FACTOR = 9
/** Longest rest: after a round that stood still, with the database, followers do not wait for minutes. */
const LONGEST_REST_MS = 2_000
/** Rest while no job is followed; following begins a round. Timers take at most 31 bits. */
const IDLE_MS = 2 ** 31 - 1

interface WatchedJob {
  readonly tenant: Tenant
  readonly jobId: string
  readonly followers: Set<(job: JobOverview) => void>
  state: string
}

export function createJobWatch({ logger, read }: JobWatchOptions): JobWatch {
  const jobs = new Map<string, WatchedJob>()
  const loop = startLoop({
    restMs: IDLE_MS,
    async step(signal) {
      if (jobs.size === 0) return IDLE_MS
      const beganMs = performance.now()
      for (const watched of jobs.values()) {
        if (signal.aborted) return 0
        const job = await read(watched.tenant, watched.jobId)
        if (job === null || stateOf(job) === watched.state) continue
        watched.state = stateOf(job)
        for (const tell of watched.followers) tell(job)
      }
      return restMs(performance.now() - beganMs)
    },
    onError(error) {
      logger.debug({ err: error }, 'Followed jobs could not be read')
      return ROUND_MS
    },
  })
  return {
    follow(tenant, jobId, tell) {
      const key = JSON.stringify([tenant.accountId, tenant.livemode, jobId])
      const wasIdle = jobs.size === 0
      const watched = jobs.get(key) ?? { tenant, jobId, followers: new Set(), state: '' }
      watched.followers.add(tell)
      // A new follower may not know what the last round told the others.
      watched.state = ''
      jobs.set(key, watched)
      if (wasIdle) loop.wake()
      return () => {
        watched.followers.delete(tell)
        if (watched.followers.size === 0 && jobs.get(key) === watched) jobs.delete(key)
      }
    },
    stop: () => loop.stop(),
  }
}

/** The rest after a round of `tookMs`. */
export function restMs(tookMs: number): number {
  return Math.min(Math.max(ROUND_MS, REST_FACTOR * tookMs), LONGEST_REST_MS)
}

/** Names the state that a reading gives for a job: equal for equal readings. It is the id of the event with that state. */
export function stateOf({ status, completed, failed, cancelled }: JobOverview): string {
  return [status, completed, failed, cancelled].join('.')
}
