/** Follows one partition from its current end, outside any group. */
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { LogStoppedError, type LogRecord, type Tail, type TailOptions } from '../port.js'
import type { FeedHub } from './partition-feed.js'
import { readPage, type PageLimits } from './record-pages.js'
import type { PartitionAddress } from './topic-directory.js'

/** Records of one call of `onRecords`. */
const DELIVERY: PageLimits = { records: 1_000, bytes: 4 * 1024 * 1024 }

export interface TailDependencies {
  readonly database: Database
  readonly hub: FeedHub
  readonly logger: Logger
}

/**
 * Follows the partition from `end`, which the database has just returned: the database answers, and the feed continues from there. The tail
 * is ready as long as the feed reaches the database.
 */
export function startTail(
  address: PartitionAddress,
  end: number,
  options: Pick<TailOptions, 'onRecords' | 'onStopped'>,
  { database, hub, logger }: TailDependencies,
): Tail {
  let next = end
  let isFetching = false
  let isStopped = false
  const feed = hub.open(address, end, { onNews: deliver, onStopped: fail })
  deliver()

  function deliver(): void {
    while (!isStopped && !isFetching && feed.end() > next) {
      const records = feed.recent(next, DELIVERY)
      if (records === null) void fetch()
      else hand(records)
    }
  }

  async function fetch(): Promise<void> {
    isFetching = true
    try {
      const records = await readPage(database, address, next, feed.end(), DELIVERY)
      // Announced records are missing: the log shrank, and the next news stops this tail.
      if (isStopped || records.length === 0) return
      hand(records)
    } catch (error) {
      if (error instanceof LogStoppedError) fail(error)
      // The next poll brings news, and with it the next attempt.
      else
        logger.warn(
          { error, topic: address.topic, partition: address.partition },
          'Records could not be read; the next poll tries again',
        )
      return
    } finally {
      isFetching = false
    }
    deliver()
  }

  function hand(records: readonly LogRecord[]): void {
    next += records.length
    try {
      options.onRecords(records)
    } catch (cause) {
      fail(new LogStoppedError('crashed', 'The reader of the partition threw an error.', { cause }))
    }
  }

  function fail(error: LogStoppedError): void {
    if (isStopped) return
    stop()
    options.onStopped(error)
  }

  function stop(): void {
    isStopped = true
    feed.close()
  }

  return {
    isReady: () => !isStopped && feed.reachable(),
    stop: async () => stop(),
  }
}
