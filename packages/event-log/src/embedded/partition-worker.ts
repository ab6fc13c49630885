/** Reads one partition for a group: from the checkpoint on, batch after batch, until it is stopped or must not go on. */
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import {
  LogStoppedError,
  type LogBatch,
  type LogIdentity,
  type LogRecord,
  type SubscribeOptions,
} from '../port.js'
import type { FeedHub } from './partition-feed.js'
import { readBounds, readPage, truncatedError, type PartitionBounds } from './record-pages.js'
import type { PartitionAddress } from './topic-directory.js'

/** Values of one batch; a single larger record makes a batch of its own. */
const BATCH_BYTES = 4 * 1024 * 1024
/** Pause before a rejected batch is tried again; doubles up to the longest. */
export const FIRST_RETRY_DELAY_MS = 100
export const LONGEST_RETRY_DELAY_MS = 5_000

export interface PartitionWorker {
  readonly address: PartitionAddress
  readonly lag: () => number
  restart(): void
  /** Finishes the batch in hand. */
  stop(): Promise<void>
}

export interface WorkerDependencies {
  readonly database: Database
  readonly hub: FeedHub
  readonly identity: () => Promise<LogIdentity>
  readonly logger: Logger
  /** Runs when fewer partitions than allowed are being handled. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly onStopped: (error: LogStoppedError) => void
}

/** What the handler rejected with, as opposed to what the log itself failed with. */
class HandlerRejection extends Error {
  constructor(cause: unknown) {
    super('The handler rejected a batch', { cause })
  }
}

export function startPartitionWorker(
  address: PartitionAddress,
  options: Pick<SubscribeOptions, 'checkpoint' | 'handle' | 'maxBatchRecords' | 'onRetry'>,
  { database, hub, identity, logger, inTurn, onStopped }: WorkerDependencies,
): PartitionWorker {
  const { topic, partition } = address
  const limits = { records: options.maxBatchRecords, bytes: BATCH_BYTES }
  let stopping = false
  let restartAsked = false
  let position = 0
  let fatal: LogStoppedError | null = null
  let wake: () => void = () => undefined

  const feed = hub.open(address, 0, {
    onNews: () => wake(),
    onStopped: (error) => {
      fatal = error
      wake()
    },
  })

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping) {
      try {
        restartAsked = false
        position = await startPosition()
        while (!stopping && !restartAsked) {
          if (fatal !== null) throw fatal
          if (feed.end() <= position) await news()
          else {
            position = await nextBatch()
            failures = 0
          }
        }
      } catch (error) {
        if (error instanceof LogStoppedError) return onStopped(error)
        failures += 1
        report(error)
        await pause(Math.min(FIRST_RETRY_DELAY_MS * 2 ** (failures - 1), LONGEST_RETRY_DELAY_MS))
      }
    }
  }

  async function startPosition(): Promise<number> {
    const [checkpoint, log] = await Promise.all([options.checkpoint({ topic, partition }), identity()])
    // Looked up last: the checkpoint may be of a record that was not there when it was asked for.
    const bounds = await readBounds(database, address)
    const next = checkpoint?.next ?? 0
    if (checkpoint !== null && checkpoint.log !== log) throw foreignError(address, checkpoint.log, log)
    refuseOutside(address, next, bounds)
    feed.seen(bounds.end)
    return next
  }

  async function nextBatch(): Promise<number> {
    const from = position
    const records = feed.recent(from, limits) ?? (await readPage(database, address, from, feed.end(), limits))
    // Between the news and the reading the record may have been gone again: then the log shrank, and the feed will say so.
    if (records.length === 0)
      throw new Error(`Record ${from} of ${topic}/${partition} was announced and is not there`)
    return await inTurn(async () => {
      // What was asked while waiting for the turn comes first.
      if (stopping || restartAsked) return from
      return await handle(from, records)
    })
  }

  async function handle(from: number, records: readonly LogRecord[]): Promise<number> {
    const nextOffset = from + records.length
    const batch: LogBatch = {
      topic,
      partition,
      records,
      firstOffset: from,
      nextOffset,
      endOffset: Math.max(feed.end(), nextOffset),
    }
    let resumeAt: number | undefined
    try {
      resumeAt = (await options.handle(batch))?.resumeAt
    } catch (cause) {
      throw new HandlerRejection(cause)
    }
    if (resumeAt === undefined) return nextOffset
    // A position the log does not have would wait for ever.
    refuseOutside(address, resumeAt, await readBounds(database, address))
    return resumeAt
  }

  function report(error: unknown): void {
    if (error instanceof HandlerRejection)
      options.onRetry(error.cause, { topic, partition, offset: position })
    else logger.warn({ error, topic, partition }, 'Records could not be read; trying again')
  }

  const news = (): Promise<void> => new Promise((resolve) => (wake = resolve))

  async function pause(durationMs: number): Promise<void> {
    if (stopping) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, durationMs)
      interrupt = resolve
    })
    clearTimeout(timer)
  }
  let interrupt: () => void = () => undefined

  const finished = run().finally(() => feed.close())
  return {
    address,
    lag: () => Math.max(0, feed.end() - position),
    restart() {
      restartAsked = true
      wake()
    },
    async stop() {
      stopping = true
      wake()
      interrupt()
      await finished
    },
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
