/**
 * A member of a group: reads its assigned partitions from their checkpoints and passes their records to the handler in batches.
 * Partitions do not wait for each other: a slow or failing one delays no other, and fetching continues while a batch is handled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LogStoppedError, type LogBatch, type SubscribeOptions, type Subscription } from '../port.js'
import { pauseMs } from '../retry-pause.js'
import { stoppedBy, type FetchTrouble } from './fetch-trouble.js'
import { openFetcher, type Fetched, type Fetcher, type FetchTarget } from './fetcher.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import type { LogPositions } from './log-position.js'
import { joinGroup, type Assignment, type Membership } from './membership.js'
import { newPart, type Part } from './part.js'
import { SILENCE_LIMIT_MS, watchSilence } from './silence.js'

export interface SubscriptionDependencies {
  readonly connection: KafkaConnectionOptions
  readonly positions: LogPositions
  readonly wireGroup: string
  readonly wireTopic: (topic: string) => string
  readonly topicOf: (wireTopic: string) => string
}

/** A partition is fetched while fewer batches than this wait for the handler. */
const BATCHES_AHEAD = 2
const BYTES_AHEAD = 4 * 1024 * 1024
const DOUBTS_ALLOWED = 5
export interface OpenedSubscription {
  readonly subscription: Subscription
  /** Resolves after the first join, or when the subscription ended before it. */
  readonly joined: Promise<void>
}

export function openSubscription(
  options: SubscribeOptions,
  dependencies: SubscriptionDependencies,
): OpenedSubscription {
  const reader = new GroupReader(options, dependencies)
  const subscription: Subscription = {
    assigned: () => reader.assigned(),
    lag: () => reader.lag(),
    restart: (position) => reader.restart(position),
    nudge: () => reader.nudge(),
    stop: () => reader.stop(),
  }
  return { subscription, joined: reader.joined }
}

class GroupReader {
  readonly joined: Promise<void>
  private readonly options: SubscribeOptions
  private readonly dependencies: SubscriptionDependencies
  private readonly fetcher: Fetcher
  private readonly membership: Membership
  private readonly endWatch: () => void
  private readonly parts = new Map<string, Part>()
  private readonly timers = new Set<NodeJS.Timeout>()
  /** Parts with a batch to handle that wait for a slot. */
  private readonly queued: Part[] = []
  private active = 0
  private stopping: Promise<void> | null = null
  private isOver = false

  constructor(options: SubscribeOptions, dependencies: SubscriptionDependencies) {
    this.options = options
    this.dependencies = dependencies
    const { connection } = dependencies
    this.fetcher = openFetcher({
      connection,
      ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
    })
    this.membership = joinGroup({
      connection,
      group: dependencies.wireGroup,
      wireTopics: options.topics.map(dependencies.wireTopic),
      onAssigned: (assignment) => {
        for (const each of assignment) if (this.isRead(each)) this.take(each)
      },
      onRevoked: () => this.revokeAll(),
      offsets: () =>
        [...this.parts.values()]
          .filter(({ state }) => state === 'reading')
          .map(({ wireTopic, partition, next }) => ({ wireTopic, partition, offset: next })),
      onRefused: (reason, error) => this.end(refusal(options, reason, error)),
    })
    this.joined = this.membership.joined
    this.endWatch = watchSilence(
      () =>
        Math.min(
          this.membership.lastActiveAt(),
          this.parts.size === 0 ? Infinity : this.fetcher.lastActiveAt(),
        ),
      () => this.endSilent(),
    )
  }

  assigned(): readonly { topic: string; partition: number }[] {
    return [...this.parts.values()].map(({ topic, partition }) => ({ topic, partition }))
  }

  lag(): number {
    let lag = 0
    for (const part of this.parts.values()) lag += Math.max(0, part.endOffset - part.next)
    return lag
  }

  restart({ topic, partition }: { topic: string; partition: number }): void {
    const part = this.parts.get(`${this.dependencies.wireTopic(topic)}/${partition}`)
    if (part !== undefined) void this.load(part)
  }

  nudge(): void {
    this.fetcher.hurry()
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.stopAll())
  }

  private endSilent(): void {
    const { group } = this.options
    this.dependencies.connection.logger.error({ group }, 'The subscription has been silent for too long')
    this.end(
      new LogStoppedError('stuck', `Reading for ${group} has been silent for ${SILENCE_LIMIT_MS / 1000} s.`),
    )
  }

  private isRead({ wireTopic, partition }: Assignment): boolean {
    return this.options.reads?.({ topic: this.dependencies.topicOf(wireTopic), partition }) ?? true
  }

  private async stopAll(): Promise<void> {
    this.isOver = true
    await this.revokeAll()
    this.endWatch()
    for (const timer of this.timers) clearTimeout(timer)
    await Promise.all([this.membership.close(), this.fetcher.close()])
  }

  /** Ends the subscription and reports it once. The stopped parts must not wait for it. */
  private end(error: LogStoppedError): void {
    if (this.isOver) return
    void this.stop()
    this.options.onStopped(error)
  }

  private take({ wireTopic, partition }: Assignment): void {
    const key = `${wireTopic}/${partition}`
    const target: FetchTarget = {
      wireTopic,
      topic: this.dependencies.topicOf(wireTopic),
      partition,
      offset: 0,
      hasRoom: () =>
        part.buffer.length < this.options.maxBatchRecords * BATCHES_AHEAD && part.bufferBytes < BYTES_AHEAD,
      onFetched: (fetched) => this.receive(part, fetched),
      onTrouble: (trouble) => void this.examine(part, trouble),
    }
    const part = newPart({ wireTopic, partition }, target)
    this.parts.set(key, part)
    void this.load(part)
  }

  /** Resolves when no handler runs. */
  private async revokeAll(): Promise<void> {
    const revoked = [...this.parts.values()]
    this.parts.clear()
    this.queued.length = 0
    for (const part of revoked) {
      part.epoch += 1
      part.state = 'revoked'
      // Another reader, or another reading of this one, has its own trouble.
      this.recovered(part)
      part.buffer = []
      this.fetcher.remove(part.target)
    }
    await Promise.all(revoked.flatMap((part) => part.handling ?? []))
  }

  /** Loads the position: reading continues at the checkpoint, and the log must hold the records from there. */
  private async load(part: Part): Promise<void> {
    const epoch = this.reposition(part)
    part.state = 'loading'
    // The current batch may still move the checkpoint.
    await part.handling
    if (part.epoch !== epoch) return
    try {
      const checkpoint = await this.options.checkpoint({ topic: part.topic, partition: part.partition })
      const { endOffset } = await this.dependencies.positions.verify(part, checkpoint)
      if (part.epoch !== epoch) return
      part.endOffset = endOffset
      this.readFrom(part, checkpoint?.next ?? 0)
    } catch (error) {
      if (part.epoch !== epoch) return
      if (error instanceof LogStoppedError) return this.end(error)
      this.retry(part, error, part.next)
    }
  }

  /** Drops the fetched records and stops fetching; returns the new epoch. */
  private reposition(part: Part): number {
    part.epoch += 1
    part.buffer = []
    part.bufferFrom = part.bufferTo = part.bufferBytes = 0
    this.fetcher.remove(part.target)
    return part.epoch
  }

  private readFrom(part: Part, offset: number): void {
    part.next = part.bufferFrom = part.bufferTo = part.target.offset = offset
    part.state = 'reading'
    this.fetcher.add(part.target)
  }

  /** Retries from the checkpoint after a pause, which grows with each failure. */
  private retry(part: Part, error: unknown, offset: number): void {
    const epoch = this.reposition(part)
    part.state = 'loading'
    part.failures += 1
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      if (part.epoch === epoch) void this.load(part)
    }, pauseMs(part.failures))
    this.timers.add(timer)
    this.options.onRetry(error, { topic: part.topic, partition: part.partition, offset })
  }

  /** The partition is read, and no rejected batch waits. */
  private recovered(part: Part): void {
    part.rejectedAt = null
    if (part.failures === 0) return
    part.failures = 0
    this.options.onRecovered?.({ topic: part.topic, partition: part.partition })
  }

  private receive(part: Part, fetched: Fetched): void {
    part.endOffset = fetched.endOffset
    // If the checkpoint moved nevertheless, it was stored, although the handler could not know that.
    if (part.rejectedAt === null || part.next > part.rejectedAt) this.recovered(part)
    if (fetched.next === fetched.from) return
    const { records } = fetched
    part.buffer = part.buffer.length === 0 ? records : [...part.buffer, ...records]
    part.bufferBytes += fetched.bytes
    part.bufferTo = fetched.next
    this.pump(part)
  }

  /** Begins a batch if there are records to handle, no batch is running, and a slot is free. */
  private pump(part: Part): void {
    if (
      this.isOver ||
      part.state !== 'reading' ||
      part.handling !== null ||
      part.bufferTo === part.bufferFrom
    )
      return
    if (this.active >= this.options.concurrency) {
      if (!this.queued.includes(part)) this.queued.push(part)
      return
    }
    this.active += 1
    part.handling = this.handle(part, this.takeBatch(part), part.epoch).finally(() => {
      this.active -= 1
      part.handling = null
      while (this.active < this.options.concurrency && this.queued.length > 0) this.pump(this.queued.shift()!)
      this.pump(part)
    })
  }

  private takeBatch(part: Part): LogBatch {
    const max = this.options.maxBatchRecords
    const whole = part.buffer.length <= max
    const records = whole ? part.buffer : part.buffer.slice(0, max)
    const firstOffset = part.bufferFrom
    const nextOffset = whole ? part.bufferTo : records[max - 1]!.offset + 1
    const wasFull = !part.target.hasRoom()
    part.bufferBytes = whole ? 0 : Math.round(part.bufferBytes * (1 - max / part.buffer.length))
    part.buffer = whole ? [] : part.buffer.slice(max)
    part.bufferFrom = nextOffset
    if (wasFull) this.fetcher.wake()
    return {
      topic: part.topic,
      partition: part.partition,
      records,
      firstOffset,
      nextOffset,
      endOffset: part.endOffset,
    }
  }

  private async handle(part: Part, batch: LogBatch, epoch: number): Promise<void> {
    let outcome
    try {
      outcome = await this.options.handle(batch)
    } catch (error) {
      // The position was loaded again, or the partition revoked: the next reader starts from the checkpoint.
      if (part.epoch !== epoch) return
      part.rejectedAt = batch.firstOffset
      return this.retry(part, error, batch.firstOffset)
    }
    if (part.epoch !== epoch) return
    part.doubts = 0
    this.recovered(part)
    part.next = batch.nextOffset
    if (outcome !== undefined && outcome.resumeAt !== batch.nextOffset) {
      this.reposition(part)
      this.readFrom(part, outcome.resumeAt)
    }
  }

  private readsBeside(topic: string): boolean {
    return [...this.parts.values()].some((each) => each.topic !== topic && each.state === 'reading')
  }

  private async examine(part: Part, trouble: FetchTrouble): Promise<void> {
    if (part.state === 'revoked' || this.isOver) return
    const place = `${part.wireTopic}/${part.partition}`
    const offset = part.target.offset
    if (trouble.kind !== 'out-of-range') {
      const stopped = stoppedBy(trouble, place, offset)
      // The other topics continue. This one may come back, and is then recognised by its id.
      if (trouble.kind === 'missing' && this.readsBeside(part.topic)) return this.retry(part, stopped, offset)
      return this.end(stopped)
    }
    // Out of range. kafkajs would continue at another offset; here the offset is compared with the log's bounds.
    part.doubts += 1
    if (part.doubts > DOUBTS_ALLOWED)
      return this.end(
        new LogStoppedError(
          'gap',
          `Kafka refuses to read ${place} at ${offset}, although it lies within the log.`,
        ),
      )
    const epoch = part.epoch
    try {
      await this.dependencies.positions.verify(part, {
        next: offset,
        log: await this.dependencies.positions.identity(),
      })
      // The leaders are read again meanwhile.
      await sleep(pauseMs(part.doubts))
      if (part.epoch === epoch && part.state === 'reading') this.fetcher.add(part.target)
    } catch (error) {
      if (part.epoch !== epoch) return
      if (error instanceof LogStoppedError) return this.end(error)
      void this.load(part)
    }
  }
}

function refusal(
  { topics, group }: SubscribeOptions,
  reason: 'refused' | 'topics-missing',
  cause: unknown,
): LogStoppedError {
  return reason === 'topics-missing'
    ? new LogStoppedError('truncated-log', `A topic of ${topics.join(', ')} no longer exists.`, { cause })
    : new LogStoppedError('crashed', `Kafka does not let ${group} take part: ${String(cause)}.`, { cause })
}
