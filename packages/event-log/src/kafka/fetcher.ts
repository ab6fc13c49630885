/**
 * Reads partitions from exactly the given offsets, with one long poll per leader. It never chooses an offset itself: it reports records
 * that are out of range, missing or unreadable, and the reader decides. A partition that cannot be read now, because it has no leader or
 * its topic is denied, is fetched again after a pause. A broker that does not answer also gets a pause. Neither delays other partitions or
 * brokers.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createWake, type Wake } from '@cupel/kit/concurrency'
import { isCompacted, type Logger } from '@cupel/contracts'
import type { LogRecord } from '../port.js'
import { pauseMs } from '../retry-pause.js'
import { isKnown, openConnection, sendTo, topicFault, topicIdOf, type Connection } from './connection.js'
import { createHolds, type Holds } from './fetch-holds.js'
import type { FetchTrouble } from './fetch-trouble.js'
import { leaderOf, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'
import { protocolError } from './protocol-errors.js'
import { decodeBatches, UnreadableBatchError } from './record-batch.js'
import { FETCH_KEY, fetchRequest, type FetchAnswer, type FetchPart } from './wire-fetch.js'
import { isPassing, wireErrors } from './wire.js'

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
  /** Called for every answer, even an empty one. */
  readonly onFetched: (fetched: Fetched) => void
  /** Reading cannot continue here; the target is left out until it is added again. */
  readonly onTrouble: (trouble: FetchTrouble) => void
}

export interface Fetched {
  readonly records: readonly LogRecord[]
  /** The requested offset, and the one after the last record; Kafka's own records count too. */
  readonly from: number
  readonly next: number
  readonly endOffset: number
  /** Bytes in memory. */
  readonly bytes: number
}

export interface FetcherOptions {
  readonly connection: KafkaConnectionOptions
  /** The connection was lost. The fetcher reconnects by itself. */
  readonly onDisconnected?: (error: unknown) => void
  /** Called with the cluster's id at every new connection, before the first fetch over it. */
  readonly onConnected?: (clusterId: string) => void
  /** Pause after an answer that reaches the end. Without it each new record ends a poll, and the broker checks all partitions again. */
  readonly restMs?: number
}

export interface Fetcher {
  add(target: FetchTarget): void
  remove(target: FetchTarget): void
  /** A target changed its offset or has room again. */
  wake(): void
  /** Ends the pause after records; the pause after an answer still under way is skipped. */
  hurry(): void
  /** When the fetcher last connected, got an answer or failed: milliseconds since 1970. */
  lastActiveAt(): number
  close(): Promise<void>
}

/** An idle poll ends after this; a partition added meanwhile waits this long. */
const MAX_WAIT_MS = 500
/** The same for a reader that has found nothing for some seconds: each poll costs the broker as much as reading a few records. */
const QUIET_MAX_WAIT_MS = 2_000
/** Polls without records after which a reader is quiet. */
const QUIET_POLLS = 10
/** While a full partition drains, polls are short, so that it is fetched again soon. */
const MAX_WAIT_WHILE_DRAINING_MS = 10
/** Packed size: reports take about seven times as much in memory. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_PARTITION_BYTES = 512 * 1024
/** A fetcher with nothing to read checks again after this. */
const IDLE_MS = 1_000
/** A topic that no broker knows counts as gone after this. */
const MISSING_AFTER_MS = 15_000

export function openFetcher(options: FetcherOptions): Fetcher {
  return new PartitionFetcher(options)
}

class PartitionFetcher implements Fetcher {
  private readonly options: FetcherOptions
  private readonly connection: Connection
  private readonly logger: Logger
  private readonly targets = new Set<FetchTarget>()
  /** The ids of topics at their first read. A topic with another id later is another topic. */
  private readonly topicIds = new Map<string, string>()
  private readonly missingSince = new Map<string, number>()
  private readonly holds: Holds<FetchTarget> = createHolds()
  private readonly brokerHolds: Holds<number> = createHolds()
  /** One for each loop that pauses. */
  private readonly pauses = new Set<Wake>()
  private isClosed = false
  private isAnnounced = false
  private activeAt = Date.now()
  private failures = 0
  private hurries = 0
  private ended: Promise<void> | null = null

  constructor(options: FetcherOptions) {
    this.options = options
    this.connection = openConnection(options.connection, { isBusy: true })
    this.logger = options.connection.logger
  }

  add(target: FetchTarget): void {
    this.targets.add(target)
    this.ended ??= this.run()
    this.wake()
  }

  remove(target: FetchTarget): void {
    this.targets.delete(target)
    this.holds.release(target)
  }

  wake(): void {
    for (const pause of this.pauses) pause.wake()
  }

  hurry(): void {
    this.hurries += 1
    this.wake()
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
      try {
        const cluster = await this.connection.cluster()
        this.isAnnounced = false
        await this.readFrom(cluster)
      } catch (error) {
        if (this.isClosed) break
        this.activeAt = Date.now()
        this.failures += 1
        this.interrupted(error)
        await this.sleepUntilWoken(pauseMs(this.failures))
      }
    }
  }

  /** Keeps one loop for each leader of a target, until the cluster is replaced. */
  private async readFrom(cluster: Cluster): Promise<void> {
    const loops = new Map<number, Promise<void>>()
    let looks = 0
    while (!this.isClosed && this.connection.current() === cluster) {
      const { leaders, lacking } = this.leadersOf(cluster)
      for (const leader of leaders) {
        if (loops.has(leader) || this.brokerHolds.isHeld(leader)) continue
        const loop = this.follow(cluster, leader).finally(() => {
          loops.delete(leader)
          this.wake()
        })
        loops.set(leader, loop)
      }
      if (loops.size === 0) this.activeAt = Date.now()
      const isUnfollowed = [...leaders].some((leader) => !loops.has(leader))
      looks = lacking.size > 0 || isUnfollowed ? looks + 1 : 0
      if (lacking.size > 0) await this.lookForLeaders(cluster, lacking)
      await this.sleepUntilWoken(looks > 0 ? pauseMs(looks) : IDLE_MS)
    }
    await Promise.all(loops.values())
  }

  private async lookForLeaders(cluster: Cluster, lacking: ReadonlySet<string>): Promise<void> {
    if (this.isAnnounced) this.interrupted(`A partition of ${[...lacking].join(', ')} cannot be read now`)
    await this.connection.refresh(cluster, [...new Set([...this.targets].map(({ wireTopic }) => wireTopic))])
    this.noteMissing(cluster, lacking)
  }

  /** The leaders of the targets, and the topics with a partition that has no leader, or that a broker refused. */
  private leadersOf(cluster: Cluster): { leaders: Set<number>; lacking: Set<string> } {
    const leaders = new Set<number>()
    const lacking = new Set<string>()
    for (const target of [...this.targets]) {
      if (this.isRecreated(cluster, target)) {
        this.trouble(target, { kind: 'recreated' })
        continue
      }
      const leader = leaderOf(cluster.brokerPool.metadata, target.wireTopic, target.partition)
      if (leader !== null) leaders.add(leader)
      if (leader === null || this.holds.wasRefused(target)) lacking.add(target.wireTopic)
    }
    return { leaders, lacking }
  }

  private isRecreated(cluster: Cluster, { wireTopic }: FetchTarget): boolean {
    const id = topicIdOf(cluster, wireTopic)
    if (id === null) return false
    const first = this.topicIds.get(wireTopic)
    if (first === undefined) this.topicIds.set(wireTopic, id)
    return first !== undefined && first !== id
  }

  private announce(cluster: Cluster): void {
    if (this.isAnnounced) return
    this.isAnnounced = true
    this.options.onConnected?.(cluster.brokerPool.metadata?.clusterId ?? '')
  }

  private interrupted(error: unknown): void {
    this.isAnnounced = false
    this.options.onDisconnected?.(error)
    this.logger.debug({ error: String(error) }, 'Fetching was interrupted')
  }

  /** Polls one leader while it leads a target. Never rejects: a broker that does not answer gets a pause. */
  private async follow(cluster: Cluster, leader: number): Promise<void> {
    // The first poll is answered at once: a tail is ready as soon as it knows that its connection works.
    let longestWaitMs = 0
    let emptyPolls = 0
    try {
      while (!this.isClosed && this.connection.current() === cluster) {
        this.activeAt = Date.now()
        const { asked, isDraining, isEmpty } = this.ask(cluster, leader)
        if (isEmpty) return
        if (asked.length === 0) {
          await this.sleepUntilWoken(this.holds.size() > 0 ? pauseMs(1) : MAX_WAIT_MS)
          continue
        }
        this.announce(cluster)
        const limits = {
          maxWaitMs: isDraining ? Math.min(longestWaitMs, MAX_WAIT_WHILE_DRAINING_MS) : longestWaitMs,
          maxBytes: MAX_BYTES,
          maxPartitionBytes: MAX_PARTITION_BYTES,
        }
        const { hurries } = this
        const answers = await sendTo(this.connection, { cluster, nodeId: leader }, ({ versions }) =>
          fetchRequest(asked, limits, versions?.[FETCH_KEY]?.maxVersion ?? 0),
        )
        const isWithoutRecords = answers.every(({ batches }) => batches.length === 0)
        emptyPolls = isWithoutRecords ? emptyPolls + 1 : 0
        longestWaitMs = emptyPolls < QUIET_POLLS ? MAX_WAIT_MS : QUIET_MAX_WAIT_MS
        this.activeAt = Date.now()
        this.failures = 0
        this.brokerHolds.release(leader)
        this.deliver(asked, answers)
        if (isWithoutRecords) this.options.connection.meter?.fetchedNothing()
        else if (this.options.restMs === undefined) await othersSend()
        else if (this.hurries === hurries && asked.every(({ target }) => isAtEnd(target, answers)))
          await this.sleepUntilWoken(this.options.restMs)
      }
    } catch (error) {
      if (this.isClosed) return
      this.activeAt = Date.now()
      this.brokerHolds.hold(leader)
      this.interrupted(error)
      // If the broker was never reached, its connection was not replaced: only new metadata names another leader.
      await this.connection.refresh(cluster)
    }
  }

  private ask(cluster: Cluster, leader: number): { asked: Asked[]; isDraining: boolean; isEmpty: boolean } {
    const asked: Asked[] = []
    let isDraining = false
    let isEmpty = true
    for (const target of this.targets) {
      const { wireTopic, partition, offset } = target
      if (leaderOf(cluster.brokerPool.metadata, wireTopic, partition) !== leader) continue
      isEmpty = false
      if (this.holds.isHeld(target) || this.isRecreated(cluster, target)) continue
      if (target.hasRoom())
        asked.push({ target, topic: wireTopic, topicId: topicIdOf(cluster, wireTopic), partition, offset })
      else isDraining = true
    }
    return { asked, isDraining, isEmpty }
  }

  private deliver(asked: readonly Asked[], answers: readonly FetchAnswer[]): void {
    if (this.isClosed) return
    for (const answer of answers) {
      const place = asked.find((each) => each.partition === answer.partition && each.topic === answer.topic)
      const target = place?.target
      // The target was removed, or its offset changed, while the poll was under way.
      if (target === undefined || !this.targets.has(target) || target.offset !== place?.offset) continue
      if (answer.error === wireErrors.NONE) {
        this.holds.release(target)
        this.deliverOne(target, answer)
      } else if (answer.error === wireErrors.OFFSET_OUT_OF_RANGE) {
        this.trouble(target, { kind: 'out-of-range' })
        // A former leader that its peers cannot reach lacks records of the current one.
        const cluster = this.connection.current()
        if (cluster !== null) void this.connection.refresh(cluster)
      } else this.refused(target, answer)
    }
  }

  /** Only this partition waits, and the leaders are read again meanwhile. */
  private refused(target: FetchTarget, { topic, partition, error }: FetchAnswer): void {
    const isNew = this.holds.hold(target)
    if (isNew && !isPassing(error)) this.logger.warn({ topic, partition, error }, 'Kafka refused a fetch')
    this.wake()
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
    if (decoded.first !== null && decoded.first > from && !isCompacted(target.topic))
      return this.trouble(target, { kind: 'gap', found: decoded.first })
    target.offset = decoded.next
    target.onFetched({
      records: decoded.records,
      from,
      next: decoded.next,
      endOffset: answer.endOffset,
      bytes: decoded.bytes,
    })
  }

  private trouble(target: FetchTarget, what: FetchTrouble): void {
    this.targets.delete(target)
    this.holds.release(target)
    target.onTrouble(what)
  }

  /** A broker that has just started may not know its topics yet; a topic that stays unknown is gone. */
  private noteMissing(cluster: Cluster, topics: ReadonlySet<string>): void {
    for (const topic of topics) {
      const fault = topicFault(cluster, topic)
      if (isKnown(cluster, topic) || protocolError(fault) !== 'UNKNOWN_TOPIC_OR_PARTITION') {
        this.missingSince.delete(topic)
        continue
      }
      const since = this.missingSince.get(topic) ?? Date.now()
      this.missingSince.set(topic, since)
      if (Date.now() - since < MISSING_AFTER_MS) continue
      for (const target of [...this.targets])
        if (target.wireTopic === topic) this.trouble(target, { kind: 'missing' })
    }
  }
}

/**
 * Waits two turns of the event loop, in which the reader of the records sends its own requests: a statement, an append. An earlier fetch
 * would wake the broker first, which then takes the core that the reader needs (docs/performance.md).
 */
async function othersSend(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/** Whether the answer brought the target to the end that its partition had then. */
function isAtEnd({ wireTopic, partition, offset }: FetchTarget, answers: readonly FetchAnswer[]): boolean {
  const answer = answers.find((each) => each.partition === partition && each.topic === wireTopic)
  return answer === undefined || offset >= answer.endOffset
}

interface Asked extends FetchPart {
  readonly target: FetchTarget
}
