/** Follows one partition from its present end, outside any group. */
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { LogStoppedError, type LogRecord, type Position, type Tail, type TailOptions } from '../port.js'
import type { FeedHub } from './partition-feed.js'
import { withoutProbes } from './probe.js'
import { readPage, type PageLimits } from './record-pages.js'
import type { PartitionAddress } from './topic-directory.js'

/** How much is handed to the follower in one call. */
const DELIVERY: PageLimits = { records: 1_000, bytes: 4 * 1024 * 1024 }

export interface TailDependencies {
  readonly database: Database
  readonly hub: FeedHub
  readonly logger: Logger
  /** Appends a probe to the partition. */
  readonly probe: () => Promise<Position>
}

export async function startTail(
  address: PartitionAddress,
  end: number,
  options: Pick<TailOptions, 'onRecords' | 'onStopped'>,
  { database, hub, logger, probe }: TailDependencies,
): Promise<Tail> {
  let next = end
  let fetching = false
  let stopped = false
  let ready = false
  /** Called when `next` moved. */
  let onProgress: () => void = () => undefined

  const feed = hub.open(address, end, { onNews: deliver, onStopped: fail })

  function deliver(): void {
    while (!stopped && !fetching && feed.end() > next) {
      const records = feed.recent(next, DELIVERY)
      if (records === null) void fetch()
      else hand(records)
    }
  }

  async function fetch(): Promise<void> {
    fetching = true
    try {
      const records = await readPage(database, address, next, feed.end(), DELIVERY)
      // Announced and not there: the log shrank, and the next news will say so.
      if (stopped || records.length === 0) return
      hand(records)
    } catch (error) {
      if (error instanceof LogStoppedError) fail(error)
      // News come again with the next poll, and with them the next attempt.
      else
        logger.warn(
          { error, topic: address.topic, partition: address.partition },
          'Records could not be read',
        )
      return
    } finally {
      fetching = false
    }
    deliver()
  }

  function hand(records: readonly LogRecord[]): void {
    next += records.length
    const wanted = withoutProbes(records)
    try {
      if (wanted.length > 0) options.onRecords(wanted)
    } catch (cause) {
      fail(
        new LogStoppedError(
          'crashed',
          'The reader of the partition failed while records were handed to it.',
          { cause },
        ),
      )
    }
    onProgress()
  }

  function fail(error: LogStoppedError): void {
    if (stopped) return
    close()
    options.onStopped(error)
    onProgress()
  }

  function close(): void {
    stopped = true
    ready = false
    feed.close()
  }

  try {
    const { offset } = await probe()
    await new Promise<void>((resolve) => {
      onProgress = () => {
        if (next > offset || stopped) resolve()
      }
      onProgress()
    })
  } catch (error) {
    close()
    throw error
  }
  onProgress = () => undefined
  ready = !stopped

  return {
    isReady: () => ready && feed.reachable(),
    stop: async () => close(),
  }
}
