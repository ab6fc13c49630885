/** Tells what the followers of nodes last told of themselves: a follower that ended tells nothing any more. */
import { sleep } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import { followerFault, listFollowers } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import type { Check } from '@cupel/kit/service'

export interface FollowerWatch {
  /** A stopped follower is named, and no reason to send requests elsewhere. */
  check(): Check
  stop(): Promise<void>
}

export interface FollowerWatchOptions {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Milliseconds between two looks; 15 s by default. */
  readonly intervalMs?: number
}

/** A follower is missed after a minute. */
const INTERVAL_MS = 15_000

export function watchFollowers(options: FollowerWatchOptions): FollowerWatch {
  const { logger, intervalMs = INTERVAL_MS } = options
  const stopping = new AbortController()
  const look = createLook(options)
  let faults: readonly string[] = []
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        faults = await look()
      } catch (error) {
        logger.warn({ err: error }, 'The followers cannot be read now')
      }
      await sleep(intervalMs, stopping.signal)
    }
  }
  const running = run()
  return {
    check: () => ({
      name: 'followers',
      ok: true,
      ...(faults.length === 0 ? {} : { detail: faults.join(' ') }),
    }),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Resolves to the faults, as sentences. */
function createLook({ database, metrics }: FollowerWatchOptions): () => Promise<readonly string[]> {
  const gauge = (name: string, help: string) => metrics.gauge(`ledger_follower_${name}`, help, ['chain'])
  const next = gauge('next_height', 'First height that is not imported')
  const lagBlocks = gauge('lag_blocks', 'Blocks of the node that are not imported')
  const lag = gauge('lag_seconds', 'Age of the last imported block')
  const stopped = gauge('stopped', '1 if the follower cannot go on, or was not seen for a minute')
  const reorganised = gauge('reorganised', '1 if a reorganisation was deeper than the confirmations')
  const told = new Set<string>()
  return async () => {
    const followers = await listFollowers(database)
    const faults = followers.flatMap((follower) => followerFault(follower) ?? [])
    for (const follower of followers) {
      const labels = { chain: follower.chain }
      told.add(follower.chain)
      next.set(follower.nextHeight, labels)
      stopped.set(followerFault(follower) === null ? 0 : 1, labels)
      reorganised.set(follower.isReorganised ? 1 : 0, labels)
      if (follower.lagBlocks !== null) lagBlocks.set(follower.lagBlocks, labels)
      if (follower.lagS !== null) lag.set(follower.lagS, labels)
    }
    // A chain that nobody is to follow any more lags behind nothing.
    for (const chain of told)
      if (!followers.some((follower) => follower.chain === chain))
        for (const one of [stopped, reorganised, lagBlocks, lag]) one.set(0, { chain })
    return faults
  }
}
