/**
 * A member of a group at work: reads the partitions it was assigned from their checkpoints and hands their records over in
 * batches. Every partition goes its own pace: fetching goes on while its batch is handled, and a slow or failing one holds
 * up no other.
 */
import {
  LogStoppedError,
  type LogBatch,
  type LogRecord,
  type SubscribeOptions,
  type Subscription,
} from '../port.js'
import { openFetcher, stoppedBy, type Fetched, type FetchTarget, type FetchTrouble } from './fetcher.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import type { LogPositions } from './log-position.js'
import { joinGroup, type Assignment } from './membership.js'
import { SILENCE_LIMIT_MS, watchSilence } from './silence.js'

export interface SubscriptionDependencies {
  readonly connection: KafkaConnectionOptions
  readonly positions: LogPositions
  readonly wireGroup: string
  readonly wireTopic: (topic: string) => string
  readonly topicOf: (wireTopic: string) => string
}

interface Part extends Assignment {
  readonly topic: string
  /** Rises whenever the position is decided anew; what began under an earlier one no longer counts. */
  epoch: number
  readonly target: FetchTarget
  state: 'loading' | 'reading' | 'revoked'
  /** Fetched and not yet handed over: `buffer` holds the records of `bufferFrom` to `bufferTo`. */
  buffer: readonly LogRecord[]
  bufferFrom: number
  bufferTo: number
  /** About what the buffer weighs. */
  bufferBytes: number
  endOffset: number
  /** Offset up to which everything was handled. */
  next: number
  handling: Promise<void> | null
  failures: number
  /** Times an offset was refused that then proved to be right. */
  doubts: number
}

/** A partition is fetched on while less than this waits to be handled. */
const BATCHES_AHEAD = 2
const BYTES_AHEAD = 4 * 1024 * 1024
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000
const DOUBTS_ALLOWED = 5
export interface OpenedSubscription {
  readonly subscription: Subscription
  /** Resolves after the first join, or when it ended before. */
  readonly joined: Promise<void>
}

export function openSubscription(
  options: SubscribeOptions,
  dependencies: SubscriptionDependencies,
): OpenedSubscription {
  const { positions } = dependencies
  const { logger } = dependencies.connection
  const parts = new Map<string, Part>()
  const timers = new Set<NodeJS.Timeout>()
  const queued: Part[] = []
  let active = 0
  let stopping: Promise<void> | null = null
  let over = false

  const fetcher = openFetcher({
    connection: dependencies.connection,
    ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
  })
  const membership = joinGroup({
    connection: dependencies.connection,
    group: dependencies.wireGroup,
    wireTopics: options.topics.map(dependencies.wireTopic),
    onAssigned: (assignment) => assignment.filter(isRead).forEach(take),
    onRevoked: revokeAll,
    onRefused(reason, error) {
      end(
        reason === 'topics-missing'
          ? new LogStoppedError(
              'truncated-log',
              `A topic of ${options.topics.join(', ')} no longer exists.`,
              { cause: error },
            )
          : new LogStoppedError(
              'crashed',
              `Kafka does not let ${options.group} take part: ${String(error)}.`,
              { cause: error },
            ),
      )
    },
  })
  const endWatch = watchSilence(
    () => Math.min(membership.lastActiveAt(), parts.size === 0 ? Infinity : fetcher.lastActiveAt()),
    () => {
      logger.error({ group: options.group }, 'The subscription has fallen silent')
      end(
        new LogStoppedError(
          'stuck',
          `Reading for ${options.group} has been silent for ${SILENCE_LIMIT_MS / 1000} s.`,
        ),
      )
    },
  )
  const subscription: Subscription = {
    assigned: () => [...parts.values()].map(({ topic, partition }) => ({ topic, partition })),
    lag() {
      let lag = 0
      for (const part of parts.values()) lag += Math.max(0, part.endOffset - part.next)
      return lag
    },
    restart({ topic, partition }) {
      const part = parts.get(`${dependencies.wireTopic(topic)}/${partition}`)
      if (part !== undefined) void load(part)
    },
    stop: () => (stopping ??= stop()),
  }
  return { subscription, joined: membership.joined }

  function isRead({ wireTopic, partition }: Assignment): boolean {
    return options.reads?.({ topic: dependencies.topicOf(wireTopic), partition }) ?? true
  }

  async function stop(): Promise<void> {
    over = true
    await revokeAll()
    endWatch()
    for (const timer of timers) clearTimeout(timer)
    await Promise.all([membership.close(), fetcher.close()])
  }

  /** Ends for good and says so once. Never awaited by what it stops. */
  function end(error: LogStoppedError): void {
    if (over) return
    stopping ??= stop()
    options.onStopped(error)
  }

  function take({ wireTopic, partition }: Assignment): void {
    const key = `${wireTopic}/${partition}`
    const target: FetchTarget = {
      wireTopic,
      topic: dependencies.topicOf(wireTopic),
      partition,
      offset: 0,
      hasRoom: () =>
        part.buffer.length < options.maxBatchRecords * BATCHES_AHEAD && part.bufferBytes < BYTES_AHEAD,
      onFetched: (fetched) => receive(part, fetched),
      onTrouble: (trouble) => void examine(part, trouble),
    }
    const part: Part = {
      wireTopic,
      partition,
      topic: target.topic,
      epoch: 0,
      target,
      state: 'loading',
      buffer: [],
      bufferFrom: 0,
      bufferTo: 0,
      bufferBytes: 0,
      endOffset: 0,
      next: 0,
      handling: null,
      failures: 0,
      doubts: 0,
    }
    parts.set(key, part)
    void load(part)
  }

  /** Resolves when nothing is in hand any more. */
  async function revokeAll(): Promise<void> {
    const revoked = [...parts.values()]
    parts.clear()
    queued.length = 0
    for (const part of revoked) {
      part.epoch += 1
      part.state = 'revoked'
      part.buffer = []
      fetcher.remove(part.target)
    }
    await Promise.all(revoked.flatMap((part) => part.handling ?? []))
  }

  /** Decides the position anew: the checkpoint says where, and the log must agree that it has what follows. */
  async function load(part: Part): Promise<void> {
    const epoch = reposition(part)
    part.state = 'loading'
    // What is in hand may still move the checkpoint.
    await part.handling
    if (part.epoch !== epoch) return
    try {
      const checkpoint = await options.checkpoint({ topic: part.topic, partition: part.partition })
      const { endOffset } = await positions.verify(part, checkpoint)
      if (part.epoch !== epoch) return
      part.endOffset = endOffset
      readFrom(part, checkpoint?.next ?? 0)
    } catch (error) {
      if (part.epoch !== epoch) return
      if (error instanceof LogStoppedError) return end(error)
      retry(part, error, part.next)
    }
  }

  /** Forgets what was fetched and asks for nothing more; returns the new epoch. */
  function reposition(part: Part): number {
    part.epoch += 1
    part.buffer = []
    part.bufferFrom = part.bufferTo = part.bufferBytes = 0
    fetcher.remove(part.target)
    return part.epoch
  }

  function readFrom(part: Part, offset: number): void {
    part.next = part.bufferFrom = part.bufferTo = part.target.offset = offset
    part.state = 'reading'
    fetcher.add(part.target)
  }

  /** Tries again from the checkpoint after a pause, which grows while it keeps failing. */
  function retry(part: Part, error: unknown, offset: number): void {
    const epoch = reposition(part)
    part.state = 'loading'
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(part.failures, 10), LONGEST_RETRY_MS)
    part.failures += 1
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (part.epoch === epoch) void load(part)
    }, waitMs)
    timers.add(timer)
    options.onRetry(error, { topic: part.topic, partition: part.partition, offset })
  }

  function receive(part: Part, fetched: Fetched): void {
    part.endOffset = fetched.endOffset
    if (fetched.next === fetched.from) return
    const { records } = fetched
    part.buffer = part.buffer.length === 0 ? records : [...part.buffer, ...records]
    part.bufferBytes += fetched.bytes
    part.bufferTo = fetched.next
    pump(part)
  }

  /** Begins a batch where there is something to handle, nothing in hand, and a place free. */
  function pump(part: Part): void {
    if (over || part.state !== 'reading' || part.handling !== null || part.bufferTo === part.bufferFrom)
      return
    if (active >= options.concurrency) {
      if (!queued.includes(part)) queued.push(part)
      return
    }
    active += 1
    part.handling = handle(part, takeBatch(part), part.epoch).finally(() => {
      active -= 1
      part.handling = null
      while (active < options.concurrency && queued.length > 0) pump(queued.shift()!)
      pump(part)
    })
  }

  function takeBatch(part: Part): LogBatch {
    const max = options.maxBatchRecords
    const whole = part.buffer.length <= max
    const records = whole ? part.buffer : part.buffer.slice(0, max)
    const firstOffset = part.bufferFrom
    const nextOffset = whole ? part.bufferTo : records[max - 1]!.offset + 1
    const wasFull = !part.target.hasRoom()
    part.bufferBytes = whole ? 0 : Math.round(part.bufferBytes * (1 - max / part.buffer.length))
    part.buffer = whole ? [] : part.buffer.slice(max)
    part.bufferFrom = nextOffset
    if (wasFull) fetcher.wake()
    return {
      topic: part.topic,
      partition: part.partition,
      records,
      firstOffset,
      nextOffset,
      endOffset: part.endOffset,
    }
  }

  async function handle(part: Part, batch: LogBatch, epoch: number): Promise<void> {
    let outcome
    try {
      outcome = await options.handle(batch)
    } catch (error) {
      // Positioned anew meanwhile, or no longer ours: the next reader starts from the checkpoint anyway.
      if (part.epoch === epoch) retry(part, error, batch.firstOffset)
      return
    }
    if (part.epoch !== epoch) return
    part.failures = part.doubts = 0
    part.next = batch.nextOffset
    if (outcome !== undefined && outcome.resumeAt !== batch.nextOffset) {
      reposition(part)
      readFrom(part, outcome.resumeAt)
    }
  }

  async function examine(part: Part, trouble: FetchTrouble): Promise<void> {
    if (part.state === 'revoked' || over) return
    const place = `${part.wireTopic}/${part.partition}`
    const offset = part.target.offset
    if (trouble.kind !== 'out-of-range') return end(stoppedBy(trouble, place, offset))
    // Out of range. kafkajs would now go on from another offset; here the log has to explain itself.
    part.doubts += 1
    if (part.doubts > DOUBTS_ALLOWED)
      return end(
        new LogStoppedError(
          'gap',
          `Kafka refuses to read ${place} at ${offset}, although it lies within the log.`,
        ),
      )
    const epoch = part.epoch
    try {
      await positions.verify(part, { next: offset, log: await positions.identity() })
      if (part.epoch === epoch && part.state === 'reading') fetcher.add(part.target)
    } catch (error) {
      if (part.epoch !== epoch) return
      if (error instanceof LogStoppedError) return end(error)
      void load(part)
    }
  }
}
