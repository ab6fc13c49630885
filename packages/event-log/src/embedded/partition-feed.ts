/**
 * News of the partitions that this process reads: it passes on its own records from memory, and polls the database for those of other
 * processes.
 */
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { LogStoppedError, type LogRecord } from '../port.js'
import { readEnds } from './end-offsets.js'
import type { PageLimits } from './record-pages.js'
import { createRecordWindow, type RecordWindow, type WindowRoom } from './record-window.js'
import type { PartitionAddress } from './topic-directory.js'

/** A reader notices records of another process within this time, if one has appended a short time ago. */
export const POLL_INTERVAL_MS = 200
/** The same after a while in which no other process has appended. */
export const QUIET_POLL_INTERVAL_MS = 1_000
const QUIET_AFTER_MS = 10_000

export interface PartitionFeed {
  readonly address: PartitionAddress
  /** Last known end of the partition. */
  readonly end: () => number
  /** Records from `from` on, if they are in memory; null if the database must be queried. */
  readonly recent: (from: number, limits: PageLimits) => LogRecord[] | null
  /** Notes an end that the reader itself read. */
  readonly seen: (end: number) => void
  /** Whether the database answered the last poll. */
  readonly reachable: () => boolean
  /** Polls now: another process says that it has appended. */
  readonly look: () => void
  close(): void
}

export interface FeedListener {
  /** The end may have moved. Called often, even when nothing changed; must not throw. */
  readonly onNews: () => void
  /** The log is not the same any more: reading cannot continue. */
  readonly onStopped: (error: LogStoppedError) => void
}

export interface FeedHub {
  /** Follows a partition whose end is at least `end`. */
  open(address: PartitionAddress, end: number, listener: FeedListener): PartitionFeed
  isFollowed(partitionId: number): boolean
  /** All records `from` ≤ offset < `to`, if this process appended them and has them in memory; else null. */
  appended(partitionId: number, from: number, to: number): readonly LogRecord[] | null
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
  /** Each with the offset from which it still has to read. */
  readonly listeners: Map<FeedListener, number>
  readonly window: RecordWindow
  end: number
}

export function createFeedHub(options: FeedHubOptions): FeedHub {
  return new PollingHub(options)
}

class PollingHub implements FeedHub {
  private readonly options: FeedHubOptions
  private readonly partitions = new Map<number, Partition>()
  private readonly room: WindowRoom = { usedBytes: 0 }
  private isReachable = true
  /** When another process last appended, or this one last opened a partition. */
  private newsAt = -Infinity
  private timer: NodeJS.Timeout | null = null
  private isPolling = false
  /** A record may have come after the poll under way. */
  private isPollDue = false
  private isClosed = false

  constructor(options: FeedHubOptions) {
    this.options = options
  }

  isFollowed(partitionId: number): boolean {
    return this.partitions.has(partitionId)
  }

  appended(partitionId: number, from: number, to: number): readonly LogRecord[] | null {
    const limits = { records: to - from, bytes: Infinity }
    const records = this.partitions.get(partitionId)?.window.recent(from, limits) ?? null
    return records?.length === limits.records ? records : null
  }

  open(address: PartitionAddress, end: number, listener: FeedListener): PartitionFeed {
    let partition = this.partitions.get(address.id)
    if (partition === undefined) {
      partition = { address, listeners: new Map(), window: createRecordWindow(end, this.room), end }
      this.partitions.set(address.id, partition)
    }
    const followed = partition
    followed.end = Math.max(followed.end, end)
    followed.listeners.set(listener, end)
    this.newsAt = performance.now()
    this.schedule()
    return {
      address,
      end: () => followed.end,
      seen: (end) => (followed.end = Math.max(followed.end, end)),
      reachable: () => this.isReachable,
      look: () => this.look(),
      recent(from, limits) {
        const records = followed.window.recent(from, limits)
        if (followed.listeners.has(listener)) followed.listeners.set(listener, from + (records?.length ?? 0))
        return records
      },
      close: () => {
        followed.listeners.delete(listener)
        if (followed.listeners.size > 0 || this.partitions.get(address.id) !== followed) return
        this.partitions.delete(address.id)
        followed.window.close()
      },
    }
  }

  push(partitionId: number, records: readonly LogRecord[]): void {
    const partition = this.partitions.get(partitionId)
    if (partition === undefined) return
    partition.window.add(records, Math.min(...partition.listeners.values()))
    partition.end = Math.max(partition.end, partition.window.end())
    for (const listener of partition.listeners.keys()) listener.onNews()
  }

  close(): void {
    this.isClosed = true
    if (this.timer !== null) clearTimeout(this.timer)
  }

  private look(): void {
    this.isPollDue = true
    if (this.isPolling || this.isClosed) return
    if (this.timer !== null) clearTimeout(this.timer)
    void this.poll()
  }

  /** Polls only while a partition is followed. */
  private schedule(): void {
    if (this.timer !== null || this.isPolling || this.isClosed || this.partitions.size === 0) return
    const isQuiet = this.isReachable && performance.now() - this.newsAt > QUIET_AFTER_MS
    // While it is quiet, at the moments of other loops (see startLoop).
    const quietMs = QUIET_POLL_INTERVAL_MS - (performance.now() % QUIET_POLL_INTERVAL_MS)
    this.timer = setTimeout(() => void this.poll(), isQuiet ? quietMs : POLL_INTERVAL_MS)
  }

  private async poll(): Promise<void> {
    this.timer = null
    this.isPolling = true
    do {
      this.isPollDue = false
      if (this.partitions.size > 0) await this.askForNews()
    } while (this.isPollDue && !this.isClosed && this.isReachable)
    this.isPolling = false
    this.schedule()
  }

  private async askForNews(): Promise<void> {
    const { database, logId, logger } = this.options
    // The answer can contradict what was known before the query, but not records pushed meanwhile.
    const before = new Map([...this.partitions.values()].map((each) => [each.address.id, each.end]))
    try {
      const answer = await readEnds(database, [...before.keys()])
      if (!this.isReachable) logger.info({}, 'The log can be reached again')
      this.isReachable = true
      if (answer.logId !== logId()) this.stopAll()
      else
        for (const [id, known] of before) this.take(this.partitions.get(id), known, answer.ends.get(id) ?? 0)
    } catch (error) {
      if (this.isReachable) logger.warn({ error }, 'The log cannot be reached; trying again')
      this.isReachable = false
    }
  }

  private stopAll(): void {
    const message =
      'The database holds another log than before: stop, and start again on the log that belongs here.'
    for (const partition of this.partitions.values())
      stop(partition, new LogStoppedError('foreign-log', message))
  }

  private take(partition: Partition | undefined, known: number, end: number): void {
    if (partition === undefined) return
    if (end < known) {
      const { topic, partition: number } = partition.address
      const message = `Partition ${topic}/${number} ended at ${known} and now ends at ${end}: the log lost records; restore it, or rebuild what was read from it.`
      stop(partition, new LogStoppedError('beyond-end', message))
      return
    }
    if (end > partition.end) this.newsAt = performance.now()
    partition.end = Math.max(partition.end, end)
    for (const listener of partition.listeners.keys()) listener.onNews()
  }
}

function stop(partition: Partition, error: LogStoppedError): void {
  for (const listener of [...partition.listeners.keys()]) listener.onStopped(error)
}
