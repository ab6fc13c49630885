/**
 * Connections for reads of ranges. Some readers take the new records of each partition every few seconds, and a new connection costs
 * more than such a read: it is kept for the next one.
 */
import { openFetcher, type Fetcher } from './fetcher.js'
import type { KafkaConnectionOptions } from './kafkajs.js'

export interface RangeFetchers {
  /** A fetcher that nobody else uses. */
  take(): Fetcher
  /** Keeps a fetcher without targets for the next reader. */
  giveBack(fetcher: Fetcher): Promise<void>
  /** Ends the unused ones; those in use end when they are given back. */
  close(): Promise<void>
}

/** Longer than the rest of a reader that takes new records at an interval. */
const KEPT_MS = 15_000
const MAX_KEPT = 2

export function createRangeFetchers(
  connection: KafkaConnectionOptions,
  { open = openFetcher, keptMs = KEPT_MS }: { open?: typeof openFetcher; keptMs?: number } = {},
): RangeFetchers {
  const unused = new Map<Fetcher, NodeJS.Timeout>()
  let isClosed = false

  async function end(fetcher: Fetcher): Promise<void> {
    clearTimeout(unused.get(fetcher))
    unused.delete(fetcher)
    await fetcher.close()
  }

  return {
    take() {
      const newest = [...unused].at(-1)
      if (newest === undefined) return open({ connection })
      const [fetcher, timer] = newest
      clearTimeout(timer)
      unused.delete(fetcher)
      return fetcher
    },
    async giveBack(fetcher) {
      if (isClosed || unused.size >= MAX_KEPT) await fetcher.close()
      else unused.set(fetcher, setTimeout(() => void end(fetcher), keptMs).unref())
    },
    async close() {
      isClosed = true
      await Promise.all([...unused.keys()].map(end))
    },
  }
}
