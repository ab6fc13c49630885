/**
 * Reads partitions from exactly the offsets it is told, one long poll per leader. It never chooses an offset itself: what is
 * out of range, missing or unreadable is reported, and the reader decides.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '@cupel/contracts'
import { LogStoppedError, type LogRecord } from '../port.js'
import { knowTopics, openConnection } from './connection.js'
import { leaderOf, protocolError, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'
import { decodeBatches, UnreadableBatchError } from './record-batch.js'
import { fetchRequest, isPassing, wireErrors, type FetchAnswer, type FetchPart } from './wire.js'

export interface FetchTarget {
  /** As on the wire. */
  readonly wireTopic: string
  /** As records are to name it. */
  readonly topic: string
  readonly partition: number
  /** Next offset to fetch. Whoever changes it calls `wake`; an answer for another offset is dropped. */
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
  /** From the offset asked for to the one after the last record, records left out by the log itself included. */
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

/** The sentence with which a reader ends that met such trouble at `offset`. */
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
  /** The connection was lost; fetching goes on by itself when it is back. */
  readonly onDisconnected?: (error: unknown) => void
  /** Told the cluster's id at every new connection, before anything is fetched over it. */
  readonly onConnected?: (clusterId: string) => void
  /** Where throughput counts more than the first record: bytes per partition and answer. */
  readonly maxPartitionBytes?: number
  /** Pause after an answer that held records: a poll that every single record ends costs the broker all its partitions each time. */
  readonly restMs?: number
}

export interface Fetcher {
  add(target: FetchTarget): void
  remove(target: FetchTarget): void
  /** A target changed its offset or has room again. */
  wake(): void
  /** When it last did anything: connected, was answered or failed. */
  readonly lastActiveAt: () => number
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
  const logger: Logger = options.connection.logger
  const connection = openConnection(options.connection)
  const restMs = options.restMs ?? 0
  const maxPartitionBytes = options.maxPartitionBytes ?? MAX_PARTITION_BYTES
  const targets = new Set<FetchTarget>()
  let closed = false
  const sleepers = new Set<() => void>()
  let activeAt = Date.now()
  let missingSince: number | null = null
  let failures = 0
  let ended: Promise<void> | null = null

  return {
    add(target) {
      targets.add(target)
      ended ??= run()
      wake()
    },
    remove(target) {
      targets.delete(target)
    },
    wake,
    lastActiveAt: () => activeAt,
    async close() {
      closed = true
      wake()
      await connection.close()
      await ended
    },
  }

  function wake(): void {
    for (const sleeper of sleepers) sleeper()
  }

  function sleepUntilWoken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const awake = (): void => {
        clearTimeout(timer)
        sleepers.delete(awake)
        resolve()
      }
      const timer = setTimeout(awake, ms)
      sleepers.add(awake)
    })
  }

  async function run(): Promise<void> {
    while (!closed) {
      let cluster: Cluster | null = null
      try {
        if (targets.size === 0) {
          activeAt = Date.now()
          await sleepUntilWoken(LONGEST_PAUSE_MS)
          continue
        }
        const known = connection.current()
        cluster = await connection.cluster()
        if (cluster !== known) options.onConnected?.(cluster.brokerPool.metadata!.clusterId)
        await knowTopics(cluster, [...new Set([...targets].map((target) => target.wireTopic))])
        await followLeaders(cluster)
      } catch (error) {
        if (closed) break
        failures += 1
        activeAt = Date.now()
        noteMissing(error)
        options.onDisconnected?.(error)
        logger.debug({ error: String(error) }, 'Fetching was interrupted')
        if (cluster !== null) connection.discard(cluster)
        await sleepUntilWoken(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS))
      }
    }
  }

  /** One loop per leader, each with its own long poll; ends when any of them fails or the set of targets or leaders changed. */
  async function followLeaders(cluster: Cluster): Promise<void> {
    const leaders = new Set<number>()
    for (const target of targets) {
      const leader = leaderOf(cluster.brokerPool.metadata, target.wireTopic, target.partition)
      if (leader === null)
        throw new StaleLeaderError(`No leader is known for ${target.wireTopic}/${target.partition}`)
      leaders.add(leader)
    }
    const state = { over: false }
    const loops = [...leaders].map((leader) =>
      follow(cluster, leader, leaders, state).finally(() => {
        state.over = true
        wake()
      }),
    )
    const results = await Promise.allSettled(loops)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async function follow(
    cluster: Cluster,
    leader: number,
    leaders: ReadonlySet<number>,
    state: { over: boolean },
  ): Promise<void> {
    const broker = await cluster.findBroker({ nodeId: leader })
    // The first poll is answered at once: a tail is ready as soon as it knows that its connection works.
    let longestWaitMs = 0
    while (!closed && !state.over) {
      activeAt = Date.now()
      const metadata = cluster.brokerPool.metadata
      const asked: Asked[] = []
      let draining = false
      for (const target of targets) {
        // A target of a topic or leader that is new here: start over with the whole set.
        const own = leaderOf(metadata, target.wireTopic, target.partition)
        if (own === null || !leaders.has(own)) return
        if (own !== leader) continue
        if (target.hasRoom())
          asked.push({ target, topic: target.wireTopic, partition: target.partition, offset: target.offset })
        else draining = true
      }
      if (asked.length === 0) {
        if (targets.size === 0) return
        await sleepUntilWoken(MAX_WAIT_MS)
        continue
      }
      const answers = await broker.connectionPool.send(
        fetchRequest(asked, {
          maxWaitMs: draining ? Math.min(longestWaitMs, MAX_WAIT_WHILE_DRAINING_MS) : longestWaitMs,
          maxBytes: MAX_BYTES,
          maxPartitionBytes,
        }),
      )
      longestWaitMs = MAX_WAIT_MS
      activeAt = Date.now()
      deliver(asked, answers)
      if (answers.some(({ batches }) => batches.length > 0))
        await (restMs > 0 ? sleepUntilWoken(restMs) : othersSend())
    }
  }

  function deliver(asked: readonly Asked[], answers: readonly FetchAnswer[]): void {
    if (closed) return
    let stale: string | null = null
    for (const answer of answers) {
      const place = asked.find((each) => each.partition === answer.partition && each.topic === answer.topic)
      const target = place?.target
      // Removed, or sent elsewhere, while the poll was under way.
      if (target === undefined || !targets.has(target) || target.offset !== place?.offset) continue
      if (answer.error === wireErrors.NONE) deliverOne(target, answer)
      else if (answer.error === wireErrors.OFFSET_OUT_OF_RANGE) trouble(target, { kind: 'out-of-range' })
      else stale = `error ${answer.error} for ${answer.topic}/${answer.partition}`
      if (answer.error !== wireErrors.NONE && !isPassing(answer.error) && stale !== null)
        logger.warn(
          { topic: answer.topic, partition: answer.partition, error: answer.error },
          'Kafka refused a fetch',
        )
      if (answer.error === wireErrors.UNKNOWN_TOPIC_OR_PARTITION) noteMissingTopic(answer.topic)
    }
    if (stale !== null) throw new StaleLeaderError(`Kafka answered ${stale}`)
    failures = 0
    missingSince = null
  }

  function deliverOne(target: FetchTarget, answer: FetchAnswer): void {
    const from = target.offset
    let decoded
    try {
      decoded = decodeBatches(answer.batches, target.topic, target.partition, from)
    } catch (error) {
      if (error instanceof UnreadableBatchError) return trouble(target, { kind: 'unreadable', error })
      throw error
    }
    if (decoded.first !== null && decoded.first > from)
      return trouble(target, { kind: 'gap', found: decoded.first })
    target.offset = decoded.next
    target.onFetched({
      records: decoded.records,
      from,
      next: decoded.next,
      endOffset: answer.endOffset,
      bytes: answer.batches.length,
    })
  }

  function trouble(target: FetchTarget, what: FetchTrouble): void {
    targets.delete(target)
    target.onTrouble(what)
  }

  function noteMissing(error: unknown): void {
    if (protocolError(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') return
    missingSince ??= Date.now()
    if (Date.now() - missingSince < MISSING_AFTER_MS) return
    for (const target of [...targets]) trouble(target, { kind: 'missing' })
  }

  function noteMissingTopic(topic: string): void {
    missingSince ??= Date.now()
    if (Date.now() - missingSince < MISSING_AFTER_MS) return
    for (const target of [...targets]) if (target.wireTopic === topic) trouble(target, { kind: 'missing' })
  }
}

/**
 * Two turns of the event loop, in which whoever got the records sends what follows from them: a statement, an append. A fetch
 * sent before it would wake the broker first and let it take the core that the records' reader needs (docs/performance.md).
 */
async function othersSend(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

interface Asked extends FetchPart {
  readonly target: FetchTarget
}

/** What is known of leaders is out of date. */
class StaleLeaderError extends Error {
  override readonly name = 'StaleLeaderError'
}
