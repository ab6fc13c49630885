/**
 * Reads partitions from exactly the given offsets, with one long poll per leader. It never chooses an offset itself: it reports
 * what is out of range, missing or unreadable, and the reader decides.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createWake, type Wake } from '@cupel/concurrency'
import type { Logger } from '@cupel/contracts'
import { LogStoppedError, type LogRecord } from '../port.js'
import { knowTopics, openConnection, type Connection } from './connection.js'
import { leaderOf, protocolError, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'
import { decodeBatches, UnreadableBatchError } from './record-batch.js'
import { fetchRequest, isPassing, wireErrors, type FetchAnswer, type FetchPart } from './wire.js'

export interface FetchTarget {
  /** The topic's name in Kafka, with the prefix of the installation. */
  readonly wireTopic: string
  /** The topic's name in records, without prefix. */
  readonly topic: string
  readonly partition: number
  /** Next offset to fetch. A reader that changes it calls `wake`; an answer for another offset is dropped. */
  offset: number
  /** Whether there is room for more. */
  readonly hasRoom: () => boolean
  /** Called for every answer, also an empty one. */
  readonly onFetched: (fetched: Fetched) => void
  /** Reading cannot go on here; the target is left out until it is added again. */
  readonly onTrouble: (trouble: FetchTrouble) => void
}

export interface Fetched {
  readonly records: readonly LogRecord[]
  /** The requested offset, and the one after the last record; records that Kafka keeps for itself count too. */
  readonly from: number
  readonly next: number
  readonly endOffset: number
  readonly bytes: number
}

export type FetchTrouble =
  | { readonly kind: 'out-of-range' }
  | { readonly kind: 'gap'; readonly found: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly error: Error }

/** The error that ends a reader with such trouble at `offset`. */
export function stoppedBy(
  trouble: Exclude<FetchTrouble, { kind: 'out-of-range' }>,
  place: string,
  offset: number,
): LogStoppedError {
  if (trouble.kind === 'missing')
    return new LogStoppedError('truncated-log', `The topic of ${place} no longer exists.`)
  if (trouble.kind === 'unreadable')
    return new LogStoppedError('crashed', `${trouble.error.message}.`, { cause: trouble.error })
  return new LogStoppedError(
    'gap',
    `${place} has no record ${offset}; the next one is ${trouble.found}: records are missing.`,
  )
}

export interface FetcherOptions {
  readonly connection: KafkaConnectionOptions
  /** The connection was lost. The fetcher reconnects by itself. */
  readonly onDisconnected?: (error: unknown) => void
  /** Called with the cluster's id at every new connection, before the first fetch over it. */
  readonly onConnected?: (clusterId: string) => void
  /** Bytes per partition and answer; more of them where throughput counts more than the first record. */
  readonly maxPartitionBytes?: number
  /** Pause after an answer with records. Without it each new record ends a poll, and the broker looks at all partitions again. */
  readonly restMs?: number
}

export interface Fetcher {
  add(target: FetchTarget): void
  remove(target: FetchTarget): void
  /** A target changed its offset or has room again. */
  wake(): void
  /** When the fetcher last connected, got an answer or failed: milliseconds since 1970. */
  lastActiveAt(): number
  close(): Promise<void>
}

/** An idle poll ends after this; a partition added meanwhile waits as long. */
const MAX_WAIT_MS = 500
/** While a full partition drains, polls are short, so that it is asked for again soon. */
const MAX_WAIT_WHILE_DRAINING_MS = 10
const MAX_BYTES = 8 * 1024 * 1024
const MAX_PARTITION_BYTES = 1024 * 1024
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
/** A broker that has just started may not know its topics yet; a topic that stays unknown is gone. */
const MISSING_AFTER_MS = 15_000

export function openFetcher(options: FetcherOptions): Fetcher {
  return new PartitionFetcher(options)
}

class PartitionFetcher implements Fetcher {
  private readonly options: FetcherOptions
  private readonly connection: Connection
  private readonly logger: Logger
  private readonly targets = new Set<FetchTarget>()
  /** One for each loop that pauses. */
  private readonly pauses = new Set<Wake>()
  private isClosed = false
  private activeAt = Date.now()
  private missingSince: number | null = null
  private failures = 0
  private ended: Promise<void> | null = null

  constructor(options: FetcherOptions) {
    this.options = options
    this.connection = openConnection(options.connection)
    this.logger = options.connection.logger
  }

  add(target: FetchTarget): void {
    this.targets.add(target)
    this.ended ??= this.run()
    this.wake()
  }

  remove(target: FetchTarget): void {
    this.targets.delete(target)
  }

  wake(): void {
    for (const pause of this.pauses) pause.wake()
  }

  lastActiveAt(): number {
    return this.activeAt
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.wake()
    await this.connection.close()
    await this.ended
  }

  private async sleepUntilWoken(ms: number): Promise<void> {
    const pause = createWake()
    this.pauses.add(pause)
    await pause.wait(ms)
    this.pauses.delete(pause)
  }

  private async run(): Promise<void> {
    while (!this.isClosed) {
      let cluster: Cluster | null = null
      try {
        if (this.targets.size === 0) {
          this.activeAt = Date.now()
          await this.sleepUntilWoken(LONGEST_PAUSE_MS)
          continue
        }
        const known = this.connection.current()
        cluster = await this.connection.cluster()
        if (cluster !== known) this.options.onConnected?.(cluster.brokerPool.metadata!.clusterId)
        await knowTopics(cluster, [...new Set([...this.targets].map((target) => target.wireTopic))])
        await this.followLeaders(cluster)
      } catch (error) {
        if (this.isClosed) break
        this.failures += 1
        this.activeAt = Date.now()
        this.noteMissing(error)
        this.options.onDisconnected?.(error)
        this.logger.debug({ error: String(error) }, 'Fetching was interrupted')
        if (cluster !== null) this.connection.discard(cluster)
        await this.sleepUntilWoken(
          Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.failures, 10), LONGEST_PAUSE_MS),
        )
      }
    }
  }

  /** One loop per leader, each with its own long poll. All end when one fails, or when the set of targets or leaders changes. */
  private async followLeaders(cluster: Cluster): Promise<void> {
    const leaders = new Set<number>()
    for (const target of this.targets) {
      const leader = leaderOf(cluster.brokerPool.metadata, target.wireTopic, target.partition)
      if (leader === null)
        throw new StaleLeaderError(`No leader is known for ${target.wireTopic}/${target.partition}`)
      leaders.add(leader)
    }
    const state = { over: false }
    const loops = [...leaders].map((leader) =>
      this.follow(cluster, leader, leaders, state).finally(() => {
        state.over = true
        this.wake()
      }),
    )
    const results = await Promise.allSettled(loops)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  private async follow(
    cluster: Cluster,
    leader: number,
    leaders: ReadonlySet<number>,
    state: { over: boolean },
  ): Promise<void> {
    const broker = await cluster.findBroker({ nodeId: leader })
    // The first poll is answered at once: a tail is ready as soon as it knows that its connection works.
    let longestWaitMs = 0
    while (!this.isClosed && !state.over) {
      this.activeAt = Date.now()
      const metadata = cluster.brokerPool.metadata
      const asked: Asked[] = []
      let draining = false
      for (const target of this.targets) {
        // The target has a topic or leader without a loop: start again with the whole set.
        const own = leaderOf(metadata, target.wireTopic, target.partition)
        if (own === null || !leaders.has(own)) return
        if (own !== leader) continue
        if (target.hasRoom())
          asked.push({ target, topic: target.wireTopic, partition: target.partition, offset: target.offset })
        else draining = true
      }
      if (asked.length === 0) {
        if (this.targets.size === 0) return
        await this.sleepUntilWoken(MAX_WAIT_MS)
        continue
      }
      const answers = await broker.connectionPool.send(
        fetchRequest(asked, {
          maxWaitMs: draining ? Math.min(longestWaitMs, MAX_WAIT_WHILE_DRAINING_MS) : longestWaitMs,
          maxBytes: MAX_BYTES,
          maxPartitionBytes: this.options.maxPartitionBytes ?? MAX_PARTITION_BYTES,
        }),
      )
      longestWaitMs = MAX_WAIT_MS
      this.activeAt = Date.now()
      this.deliver(asked, answers)
      if (answers.some(({ batches }) => batches.length > 0))
        await (this.options.restMs === undefined ? othersSend() : this.sleepUntilWoken(this.options.restMs))
    }
  }

  private deliver(asked: readonly Asked[], answers: readonly FetchAnswer[]): void {
    if (this.isClosed) return
    let stale: string | null = null
    for (const answer of answers) {
      const place = asked.find((each) => each.partition === answer.partition && each.topic === answer.topic)
      const target = place?.target
      // The target was removed, or its offset changed, while the poll was under way.
      if (target === undefined || !this.targets.has(target) || target.offset !== place?.offset) continue
      if (answer.error === wireErrors.NONE) this.deliverOne(target, answer)
      else if (answer.error === wireErrors.OFFSET_OUT_OF_RANGE) this.trouble(target, { kind: 'out-of-range' })
      else stale = `error ${answer.error} for ${answer.topic}/${answer.partition}`
      if (answer.error !== wireErrors.NONE && !isPassing(answer.error) && stale !== null)
        this.logger.warn(
          { topic: answer.topic, partition: answer.partition, error: answer.error },
          'Kafka refused a fetch',
        )
      if (answer.error === wireErrors.UNKNOWN_TOPIC_OR_PARTITION) this.noteMissingTopic(answer.topic)
    }
    if (stale !== null) throw new StaleLeaderError(`Kafka answered ${stale}`)
    this.failures = 0
    this.missingSince = null
  }

  private deliverOne(target: FetchTarget, answer: FetchAnswer): void {
    const from = target.offset
    let decoded
    try {
      decoded = decodeBatches(answer.batches, target.topic, target.partition, from)
    } catch (error) {
      if (error instanceof UnreadableBatchError) return this.trouble(target, { kind: 'unreadable', error })
      throw error
    }
    if (decoded.first !== null && decoded.first > from)
      return this.trouble(target, { kind: 'gap', found: decoded.first })
    target.offset = decoded.next
    target.onFetched({
      records: decoded.records,
      from,
      next: decoded.next,
      endOffset: answer.endOffset,
      bytes: answer.batches.length,
    })
  }

  private trouble(target: FetchTarget, what: FetchTrouble): void {
    this.targets.delete(target)
    target.onTrouble(what)
  }

  private noteMissing(error: unknown): void {
    if (protocolError(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') return
    this.missingSince ??= Date.now()
    if (Date.now() - this.missingSince < MISSING_AFTER_MS) return
    for (const target of [...this.targets]) this.trouble(target, { kind: 'missing' })
  }

  private noteMissingTopic(topic: string): void {
    this.missingSince ??= Date.now()
    if (Date.now() - this.missingSince < MISSING_AFTER_MS) return
    for (const target of [...this.targets])
      if (target.wireTopic === topic) this.trouble(target, { kind: 'missing' })
  }
}

/**
 * Two turns of the event loop, in which the reader of the records sends its own requests: a statement, an append. A fetch
 * sent earlier would wake the broker first, which then takes the core that the reader needs (docs/performance.md).
 */
async function othersSend(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

interface Asked extends FetchPart {
  readonly target: FetchTarget
}

/** The known leaders are out of date. */
class StaleLeaderError extends Error {
  override readonly name = 'StaleLeaderError'
}
