/** Reads one partition for a group: from the checkpoint on, batch after batch, until it is stopped or must not continue. */
import { startLoop, type Loop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import {
  LogStoppedError,
  type LogBatch,
  type LogIdentity,
  type LogRecord,
  type SubscribeOptions,
} from '../port.js'
import { pauseMs } from '../retry-pause.js'
import type { FeedHub, PartitionFeed } from './partition-feed.js'
import type { PartitionBounds } from './partition-bounds.js'
import { readPage, truncatedError } from './record-pages.js'
import type { PartitionAddress } from './topic-directory.js'

/** Values of one batch; a single larger record makes a batch of its own. */
const BATCH_BYTES = 4 * 1024 * 1024
/** The feed ends the rest when there may be records; without news there is nothing to read. */
const LONGEST_REST_MS = 60_000

export interface PartitionWorker {
  readonly address: PartitionAddress
  lag(): number
  restart(): void
  /** Ends the rest after a batch. */
  nudge(): void
  /** Finishes the current batch. */
  stop(): Promise<void>
}

export interface WorkerDependencies {
  readonly database: Database
  readonly hub: FeedHub
  readonly boundsOf: (partitionId: number) => Promise<PartitionBounds>
  readonly identity: () => Promise<LogIdentity>
  readonly logger: Logger
  /** Runs when fewer partitions than allowed are being handled. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly onStopped: (error: LogStoppedError) => void
}

type WorkerOptions = Pick<
  SubscribeOptions,
  'checkpoint' | 'handle' | 'maxBatchRecords' | 'onRetry' | 'onRecovered' | 'restMs'
>

export function startPartitionWorker(
  address: PartitionAddress,
  options: WorkerOptions,
  dependencies: WorkerDependencies,
): PartitionWorker {
  return new Worker(address, options, dependencies)
}

/** An error of the handler, as opposed to an error of the log itself. */
class HandlerRejection extends Error {
  constructor(cause: unknown) {
    super('The handler rejected a batch', { cause })
  }
}

class Worker implements PartitionWorker {
  readonly address: PartitionAddress
  private readonly options: WorkerOptions
  private readonly dependencies: WorkerDependencies
  private readonly feed: PartitionFeed
  private readonly loop: Loop
  /** The next offset; null if the checkpoint must be queried for it. */
  private position: number | null = null
  private lastPosition = 0
  /** The first offset of a rejected batch that is still to be handled. */
  private rejectedAt: number | null = null
  /** Clock reading (performance.now) until which news is ignored. */
  private restsUntil = 0
  private nudges = 0
  private isStopping = false
  private fatal: LogStoppedError | null = null

  constructor(address: PartitionAddress, options: WorkerOptions, dependencies: WorkerDependencies) {
    this.address = address
    this.options = options
    this.dependencies = dependencies
    this.feed = dependencies.hub.open(address, 0, {
      onNews: () => {
        const isBehind = this.position === null || this.feed.end() > this.position
        if (isBehind && this.restsUntil <= performance.now()) this.loop.wake()
      },
      onStopped: (error) => {
        this.fatal = error
        this.loop.wake()
      },
    })
    this.loop = startLoop({
      step: () => this.step(),
      restMs: LONGEST_REST_MS,
      onError: (error, failures) => this.recover(error, failures),
    })
  }

  lag(): number {
    return Math.max(0, this.feed.end() - this.lastPosition)
  }

  restart(): void {
    this.position = null
    this.loop.wake()
  }

  nudge(): void {
    this.nudges += 1
    this.restsUntil = 0
    if (this.position !== null && this.feed.end() <= this.position) this.feed.look()
    else this.loop.wake()
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.loop.stop()
    this.feed.close()
    // Another reader, or another reading of this one, has its own trouble.
    if (this.rejectedAt !== null) this.recovered()
  }

  /** Handles one batch, or rests until there is news. */
  private async step(): Promise<number | undefined> {
    if (this.fatal !== null) throw this.fatal
    if (this.position === null) {
      // Set before the query: a restart requested meanwhile makes the answer invalid.
      this.position = this.lastPosition
      const next = await this.startPosition()
      this.restsUntil = 0
      this.moveTo(next)
      return 0
    }
    const restMs = this.restsUntil - performance.now()
    if (restMs > 0) return restMs
    if (this.feed.end() <= this.position) return undefined
    await this.handleNext(this.position)
    return 0
  }

  /** Keeps a restart that was requested meanwhile. */
  private moveTo(next: number): void {
    this.lastPosition = next
    if (this.position !== null) this.position = next
    if (this.rejectedAt !== null && next > this.rejectedAt) this.recovered()
  }

  private recovered(): void {
    this.rejectedAt = null
    const { topic, partition } = this.address
    this.options.onRecovered?.({ topic, partition })
  }

  private recover(error: unknown, failures: number): number {
    if (error instanceof LogStoppedError) {
      this.isStopping = true
      void this.loop.stop()
      this.feed.close()
      this.dependencies.onStopped(error)
      return 0
    }
    const { topic, partition } = this.address
    if (error instanceof HandlerRejection) {
      this.rejectedAt = this.lastPosition
      this.options.onRetry(error.cause, { topic, partition, offset: this.lastPosition })
    } else
      this.dependencies.logger.warn({ error, topic, partition }, 'Records could not be read; trying again')
    this.position = null
    return pauseMs(failures)
  }

  private async startPosition(): Promise<number> {
    const { topic, partition } = this.address
    const [checkpoint, log] = await Promise.all([
      this.options.checkpoint({ topic, partition }),
      this.dependencies.identity(),
    ])
    // Read last: the checkpoint may be of a record that did not exist when the checkpoint was read.
    const bounds = await this.dependencies.boundsOf(this.address.id)
    const next = checkpoint?.next ?? 0
    if (checkpoint !== null && checkpoint.log !== log) throw foreignError(this.address, checkpoint.log, log)
    refuseOutside(this.address, next, bounds)
    this.feed.seen(bounds.end)
    return next
  }

  private async handleNext(from: number): Promise<void> {
    const { topic, partition } = this.address
    const limits = { records: this.options.maxBatchRecords, bytes: BATCH_BYTES }
    const records =
      this.feed.recent(from, limits) ??
      (await readPage(this.dependencies.database, this.address, from, this.feed.end(), limits))
    // The record disappeared between the news and the read: the log shrank, and the feed will soon report it.
    if (records.length === 0)
      throw new Error(`Record ${from} of ${topic}/${partition} was announced and is not there`)
    const { nudges } = this
    await this.dependencies.inTurn(async () => {
      // A stop or a restart that came while this batch waited for its turn comes first.
      if (!this.isStopping && this.position !== null) this.moveTo(await this.handle(from, records))
    })
    // A partition that is behind continues without a rest.
    if (records.length < this.options.maxBatchRecords && this.nudges === nudges)
      this.restsUntil = performance.now() + (this.options.restMs ?? 0)
  }

  /** Returns the offset from which reading continues. */
  private async handle(from: number, records: readonly LogRecord[]): Promise<number> {
    const nextOffset = from + records.length
    const batch: LogBatch = {
      topic: this.address.topic,
      partition: this.address.partition,
      records,
      firstOffset: from,
      nextOffset,
      endOffset: Math.max(this.feed.end(), nextOffset),
    }
    let resumeAt: number | undefined
    try {
      resumeAt = (await this.options.handle(batch))?.resumeAt
    } catch (cause) {
      throw new HandlerRejection(cause)
    }
    if (resumeAt === undefined) return nextOffset
    // A worker at a position outside the log would wait for ever.
    refuseOutside(this.address, resumeAt, await this.dependencies.boundsOf(this.address.id))
    return resumeAt
  }
}

function refuseOutside(address: PartitionAddress, next: number, { start, end }: PartitionBounds): void {
  if (next < start) throw truncatedError(address, next, start)
  if (next > end) {
    throw new LogStoppedError(
      'beyond-end',
      `The checkpoint of ${address.topic}/${address.partition} is ${next}, but the log ends at ${end}: it lost records; restore it, or rebuild what was read from it.`,
    )
  }
}

function foreignError(
  { topic, partition }: PartitionAddress,
  taken: LogIdentity,
  log: LogIdentity,
): LogStoppedError {
  return new LogStoppedError(
    'foreign-log',
    `The checkpoint of ${topic}/${partition} was taken on log ${taken}, and this is log ${log}: connect the log it belongs to, or rebuild what was read from it.`,
  )
}
