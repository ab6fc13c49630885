/**
 * News of partitions that somebody in this process reads: records appended here are handed over from memory, those of
 * other processes are noticed by asking the database now and then.
 */
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { LogStoppedError, type LogRecord } from '../port.js'
import { readEnds } from './end-offsets.js'
import type { PageLimits } from './record-pages.js'
import type { PartitionAddress } from './topic-directory.js'

/** How soon a reader notices what another process appended. */
export const POLL_INTERVAL_MS = 200
/** Records kept in memory per partition for readers that are a little behind. Whoever is further behind asks the database. */
const WINDOW_BYTES = 1024 * 1024
const WINDOW_RECORDS = 2_000

export interface PartitionFeed {
  readonly address: PartitionAddress
  /** End of the partition as last seen. */
  readonly end: () => number
  /** Records from `from` on, where they are at hand; null where the database has to be asked. */
  readonly recent: (from: number, limits: PageLimits) => LogRecord[] | null
  /** Told of an end that a reader learnt by itself. */
  readonly seen: (end: number) => void
  /** Whether the database answered the last time it was asked for news. */
  readonly reachable: () => boolean
  close(): void
}

export interface FeedListener {
  /** The end may have moved. Called often, also when nothing changed; must not throw. */
  readonly onNews: () => void
  /** The log is not the one it was: reading cannot go on. */
  readonly onStopped: (error: LogStoppedError) => void
}

export interface FeedHub {
  /** Follows a partition whose end is `end` at least. */
  open(address: PartitionAddress, end: number, listener: FeedListener): PartitionFeed
  isFollowed(partitionId: number): boolean
  /** Records just committed by this process. */
  push(partitionId: number, records: readonly LogRecord[]): void
  close(): void
}

export interface FeedHubOptions {
  readonly database: Database
  /** The database's part of the identity of the log; known before the first partition is opened. */
  readonly logId: () => string | null
  readonly logger: Logger
}

interface Partition {
  readonly address: PartitionAddress
  readonly listeners: Set<FeedListener>
  end: number
  /** Contiguous, the last one ends at `windowEnd`. */
  window: { first: number; records: readonly LogRecord[]; bytes: number }[]
  windowEnd: number
  windowBytes: number
  windowRecords: number
}

export function createFeedHub({ database, logId, logger }: FeedHubOptions): FeedHub {
  const partitions = new Map<number, Partition>()
  let reachable = true
  let timer: NodeJS.Timeout | null = null
  let closed = false

  function schedule(): void {
    if (timer === null && !closed && partitions.size > 0)
      timer = setTimeout(() => void poll(), POLL_INTERVAL_MS)
  }

  async function poll(): Promise<void> {
    if (partitions.size > 0) await askForNews()
    timer = null
    schedule()
  }

  async function askForNews(): Promise<void> {
    // What was known before the question can be contradicted by its answer; what is pushed meanwhile cannot.
    const before = new Map([...partitions.values()].map((each) => [each.address.id, each.end]))
    try {
      const answer = await readEnds(database, [...before.keys()])
      if (!reachable) logger.info({}, 'The log can be reached again')
      reachable = true
      if (answer.logId !== logId()) stopAll()
      else for (const [id, known] of before) take(partitions.get(id), known, answer.ends.get(id) ?? 0)
    } catch (error) {
      if (reachable) logger.warn({ error }, 'The log cannot be reached; trying again')
      reachable = false
    }
  }

  function stopAll(): void {
    const message =
      'The database holds another log than before: stop, and start again on the one that belongs here.'
    for (const partition of partitions.values()) stop(partition, new LogStoppedError('foreign-log', message))
  }

  function take(partition: Partition | undefined, known: number, end: number): void {
    if (partition === undefined) return
    if (end < known) {
      const { topic, partition: number } = partition.address
      const message = `Partition ${topic}/${number} ended at ${known} and now ends at ${end}: the log lost records; restore it, or rebuild what was read from it.`
      stop(partition, new LogStoppedError('beyond-end', message))
      return
    }
    partition.end = Math.max(partition.end, end)
    for (const listener of partition.listeners) listener.onNews()
  }

  function stop(partition: Partition, error: LogStoppedError): void {
    for (const listener of [...partition.listeners]) listener.onStopped(error)
  }

  return {
    isFollowed: (partitionId) => partitions.has(partitionId),
    open(address, end, listener) {
      let partition = partitions.get(address.id)
      if (partition === undefined) {
        partition = newPartition(address, end)
        partitions.set(address.id, partition)
      }
      const followed = partition
      followed.end = Math.max(followed.end, end)
      followed.listeners.add(listener)
      schedule()
      return {
        address,
        end: () => followed.end,
        seen: (end) => (followed.end = Math.max(followed.end, end)),
        reachable: () => reachable,
        recent: (from, limits) => recentRecords(followed, from, limits),
        close() {
          followed.listeners.delete(listener)
          if (followed.listeners.size === 0 && partitions.get(address.id) === followed)
            partitions.delete(address.id)
        },
      }
    },
    push(partitionId, records) {
      const partition = partitions.get(partitionId)
      if (partition === undefined) return
      remember(partition, records)
      for (const listener of partition.listeners) listener.onNews()
    },
    close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}

function newPartition(address: PartitionAddress, end: number): Partition {
  return { address, listeners: new Set(), end, window: [], windowEnd: end, windowBytes: 0, windowRecords: 0 }
}

function remember(partition: Partition, records: readonly LogRecord[]): void {
  const first = records[0]!.offset
  if (first !== partition.windowEnd) {
    // Another process appended in between: what came before is no longer contiguous with this.
    partition.window = []
    partition.windowBytes = 0
    partition.windowRecords = 0
  }
  const bytes = records.reduce((sum, record) => sum + record.value.length, 0)
  partition.window.push({ first, records, bytes })
  partition.windowBytes += bytes
  partition.windowRecords += records.length
  partition.windowEnd = first + records.length
  partition.end = Math.max(partition.end, partition.windowEnd)
  while (
    partition.window.length > 1 &&
    (partition.windowBytes > WINDOW_BYTES || partition.windowRecords > WINDOW_RECORDS)
  ) {
    const oldest = partition.window.shift()!
    partition.windowBytes -= oldest.bytes
    partition.windowRecords -= oldest.records.length
  }
}

function recentRecords(
  { window, windowEnd }: Partition,
  from: number,
  limits: PageLimits,
): LogRecord[] | null {
  if (window.length === 0 || from < window[0]!.first || from >= windowEnd) return null
  const found: LogRecord[] = []
  let bytes = 0
  for (const { first, records } of window) {
    if (first + records.length <= from) continue
    for (let index = Math.max(0, from - first); index < records.length; index++) {
      const record = records[index]!
      if (found.length === limits.records || (bytes > 0 && bytes >= limits.bytes)) return found
      found.push(record)
      bytes += record.value.length
    }
  }
  return found
}
