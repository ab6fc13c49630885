/**
 * Appends records in few, well filled requests. Records that arrive in one turn of the event loop share a request, and during a request the
 * next one fills up. There are two producers: `fast` keeps several requests of a partition in flight. `ordered` is idempotent and keeps
 * one, so that a repeated request changes neither the order nor the number of records.
 */
import { LogStoppedError, LogUnavailableError, RecordTooLargeError, type NewRecord } from '../port.js'
import { openConnection, topicFault, type Connection } from './connection.js'
import { leaderOf, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'
import type { Compression } from './pack.js'
import { createLanes, type Lane, type Lanes } from './produce-lanes.js'
import {
  isEmpty,
  maySend,
  partitionQueue,
  producePart,
  putBack,
  putBackHalves,
  renewProducer,
  takeBatch,
  takeLate,
  type Batch,
  type Call,
  type Entry,
  type PartitionQueue,
} from './partition-queue.js'
import { createIdentitySource, retryPauseMs, type IdentitySource } from './producer-identity.js'
import { recordBytes } from './record-batch.js'
import {
  isBehind,
  isPassing,
  isUnknownSequence,
  produceRequest,
  wireErrors,
  type ProduceAnswers,
} from './wire.js'

export interface Producer {
  /** Resolves to the records' offsets, in their order, when all are acknowledged. Topics are as on the wire. */
  append(records: readonly PlacedRecord[]): Promise<readonly number[]>
  /** Rejects further appends; resolves when all earlier ones are acknowledged or rejected. */
  close(): Promise<void>
}

/** The two producers, as `deploy/topics.json` names them per topic. */
export type ProducerKind = 'fast' | 'ordered'

export interface PlacedRecord {
  readonly wireTopic: string
  readonly partition: number
  readonly record: NewRecord
}

export interface ProducerOptions {
  readonly connection: KafkaConnectionOptions
  readonly kind: ProducerKind
  readonly compression: Compression
  /** A request got neither an answer nor an error: the process should end, so that its supervisor starts another one. */
  readonly onStuck: (error: LogStoppedError) => void
  /** Number of records in an answered request. */
  readonly onRequest: (records: number) => void
  readonly onFailure: (error: Error) => void
}

/** All batches of one request together. */
const REQUEST_BYTES = 4 * 1024 * 1024
const BATCHES_IN_FLIGHT = { fast: 2, ordered: 1 }
/** An append without an acknowledgement is rejected after this. */
export const APPEND_DEADLINE_MS = 10_000
/** The connection ends a request after 5 s, plus the time that a broker throttles; a request that is open longer never ends. */
const STUCK_AFTER_MS = 10_000
const SWEEP_INTERVAL_MS = 250

export function openProducer(options: ProducerOptions): Producer {
  return new BatchingProducer(options)
}

class BatchingProducer implements Producer {
  private readonly options: ProducerOptions
  private readonly connection: Connection
  /** By topic and partition. */
  private readonly queues = new Map<string, Map<number, PartitionQueue>>()
  /** Queues with something to send. */
  private readonly busy = new Set<PartitionQueue>()
  private readonly underWay = new Set<Batch>()
  private readonly calls = new Set<Call>()
  private readonly lanes: Lanes
  private isScheduled = false
  private readonly identity: IdentitySource
  private sweeping: NodeJS.Timeout | null = null
  private isClosed = false
  private whenIdle: (() => void) | null = null

  constructor(options: ProducerOptions) {
    this.options = options
    this.connection = openConnection(options.connection)
    this.lanes = createLanes(this.connection, openConnection(options.connection))
    this.identity = createIdentitySource(this.connection, {
      isNumbered: options.kind === 'ordered',
      onChange: () => this.schedule(),
    })
  }

  append(records: readonly PlacedRecord[]): Promise<readonly number[]> {
    if (this.isClosed) return Promise.reject(new LogUnavailableError('The log was closed.'))
    return new Promise((resolve, reject) => this.accept(records, resolve, reject))
  }

  async close(): Promise<void> {
    this.isClosed = true
    if (this.calls.size > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve))
    if (this.sweeping !== null) clearInterval(this.sweeping)
    await this.lanes.close()
  }

  private accept(records: readonly PlacedRecord[], resolve: Call['resolve'], reject: Call['reject']): void {
    const call: Call = {
      offsets: new Array<number>(records.length),
      deadlineAt: Date.now() + APPEND_DEADLINE_MS,
      remaining: records.length,
      resolve,
      reject,
      failed: false,
    }
    this.calls.add(call)
    for (let index = 0; index < records.length; index += 1) {
      const { wireTopic, partition, record } = records[index]!
      const queue = this.queueOf(wireTopic, partition)
      queue.waiting.push({ call, index, record, bytes: recordBytes(record) })
      this.busy.add(queue)
    }
    this.sweeping ??= setInterval(() => this.sweep(), SWEEP_INTERVAL_MS)
    this.schedule()
  }

  private queueOf(topic: string, partition: number): PartitionQueue {
    let partitions = this.queues.get(topic)
    if (partitions === undefined) this.queues.set(topic, (partitions = new Map()))
    let queue = partitions.get(partition)
    if (queue === undefined) partitions.set(partition, (queue = partitionQueue(topic, partition)))
    return queue
  }

  private schedule(): void {
    if (this.isScheduled || this.calls.size === 0) return
    this.isScheduled = true
    setImmediate(() => this.flush())
  }

  private flush(): void {
    this.isScheduled = false
    if (this.busy.size === 0) return
    const cluster = this.connection.current()
    if (!this.identity.isReady()) this.identity.prepare()
    if (cluster !== null) while (this.sendOne(cluster));
  }

  /** One request to one leader, with a batch of each of its partitions that may send. False if nothing may be sent now. */
  private sendOne(cluster: Cluster): boolean {
    const metadata = cluster.brokerPool.metadata
    const now = Date.now()
    const batches: Batch[] = []
    const unled: PartitionQueue[] = []
    let lane: Lane | null = null
    let bytes = 0
    for (const queue of this.busy) {
      if (!maySend(queue, BATCHES_IN_FLIGHT[this.options.kind], now)) continue
      if (queue.producer === null && !this.identity.isReady()) continue
      const leader = leaderOf(metadata, queue.topic, queue.partition)
      if (leader === null) {
        unled.push(queue)
        continue
      }
      const own = this.lanes.of(leader, queue.isSuspect)
      if (lane === null ? !own.mayTake(now) : own !== lane) continue
      const batch = takeBatch(queue, this.identity.current())
      if (isEmpty(queue)) this.busy.delete(queue)
      if (batch === null) continue
      lane = own
      batches.push(batch)
      bytes += batch.bytes
      if (bytes >= REQUEST_BYTES) break
    }
    if (unled.length > 0) this.findLeaders(cluster, unled)
    if (lane === null) return false
    this.send(lane, batches)
    return true
  }

  /** Only these partitions wait: the topic is missing or denied, or the partition has no leader now. */
  private findLeaders(cluster: Cluster, queues: readonly PartitionQueue[]): void {
    for (const queue of queues) {
      // The first error may come from a topic that was never requested.
      queue.trouble =
        topicFault(cluster, queue.topic) ??
        new Error(`no broker leads partition ${queue.partition} of ${queue.topic}`)
      this.postpone(queue, (queue.failures += 1))
    }
    void this.connection.refresh(cluster, [...this.queues.keys()]).then(() => {
      for (const queue of queues)
        if (leaderOf(cluster.brokerPool.metadata, queue.topic, queue.partition) !== null) queue.notBefore = 0
      this.schedule()
    })
  }

  private postpone(queue: PartitionQueue, failures: number): void {
    const waitMs = retryPauseMs(failures)
    queue.notBefore = Date.now() + waitMs
    this.busy.add(queue)
    setTimeout(() => this.schedule(), waitMs)
  }

  private send(lane: Lane, batches: readonly Batch[]): void {
    const now = Date.now()
    let records = 0
    for (const batch of batches) {
      batch.sentAt = null
      batch.attempts += 1
      batch.lane = lane
      batch.queue.inFlight += 1
      this.underWay.add(batch)
      records += batch.entries.length
    }
    const request = produceRequest(batches.map((batch) => producePart(batch, now, this.options.compression)))
    lane.requests += 1
    lane
      .send(request, () => batches.forEach((batch) => (batch.sentAt = Date.now())))
      .then(
        (answers) => {
          this.options.onRequest(records)
          lane.throttle(answers.throttleMs, () => this.schedule())
          this.settle(batches, answers)
        },
        (error: unknown) => this.lost(batches, error),
      )
      .finally(() => {
        lane.requests -= 1
        if (this.busy.size > 0) this.flush()
        this.finishIfIdle()
      })
  }

  /** The request was not answered: the connection to that one broker broke, or was never made. */
  private lost(batches: readonly Batch[], error: unknown): void {
    for (const batch of batches) {
      if (!this.landed(batch)) continue
      batch.queue.trouble = error
      this.again(batch)
    }
    const cluster = this.connection.current()
    if (cluster !== null) void this.connection.refresh(cluster)
  }

  /** False if the sweep has already rejected the batch. */
  private landed(batch: Batch): boolean {
    if (!this.underWay.delete(batch)) return false
    batch.queue.inFlight -= 1
    return true
  }

  private settle(batches: readonly Batch[], { parts }: ProduceAnswers): void {
    let isMoved = false
    for (const batch of batches) {
      if (!this.landed(batch)) continue
      const { queue } = batch
      const answer = parts.find((each) => each.topic === queue.topic && each.partition === queue.partition)
      const error = answer?.error ?? wireErrors.UNKNOWN_TOPIC_OR_PARTITION
      if (error === wireErrors.NONE) this.acknowledge(batch, answer!.baseOffset)
      else if (error === wireErrors.MESSAGE_TOO_LARGE || error === wireErrors.RECORD_LIST_TOO_LARGE)
        this.tooLarge(batch)
      else if (isUnknownSequence(error)) this.unknownSequence(batch)
      else if (isPassing(error)) {
        queue.isSuspect = isBehind(error)
        isMoved ||= !queue.isSuspect
        queue.trouble = new Error(`error ${error} for ${queue.topic}/${queue.partition}`)
        this.again(batch)
      } else
        this.giveUp(
          batch,
          new LogUnavailableError(`Kafka refused records for ${queue.topic} with error ${error}.`),
        )
    }
    const cluster = this.connection.current()
    if (isMoved && cluster !== null) void this.connection.refresh(cluster)
  }

  private acknowledge(batch: Batch, baseOffset: number): void {
    const { entries, queue } = batch
    queue.isSuspect = false
    queue.failures = 0
    queue.trouble = null
    for (let index = 0; index < entries.length; index += 1) {
      const { call, index: place } = entries[index]!
      call.offsets[place] = baseOffset + index
      call.remaining -= 1
      if (call.remaining > 0 || call.failed) continue
      this.calls.delete(call)
      call.resolve(call.offsets)
    }
  }

  private again(batch: Batch): void {
    const { queue, attempts } = batch
    if (Date.now() >= batch.deadlineAt) return this.giveUp(batch, this.unavailable(queue))
    putBack(batch, retryPauseMs(attempts))
    this.postpone(queue, attempts)
  }

  /** The broker accepts less than expected: the halves of the batch are sent one after the other; a single record is rejected. */
  private tooLarge(batch: Batch): void {
    const [first, second] = batch.entries
    if (second === undefined) {
      const sentence = `Kafka accepts no record of ${first!.bytes} bytes on ${batch.queue.topic}.`
      return this.giveUp(batch, new RecordTooLargeError(sentence))
    }
    putBackHalves(batch)
    this.busy.add(batch.queue)
  }

  /** The broker no longer knows the producer, because of retention or a lost log: a new one sends these records. */
  private unknownSequence(batch: Batch): void {
    const { queue } = batch
    queue.trouble = new Error(`the sequence of ${queue.topic}/${queue.partition} is no longer known`)
    putBack(batch, retryPauseMs(batch.attempts))
    this.forgetProducer(queue)
    this.postpone(queue, batch.attempts)
  }

  /** Rejects the calls of a batch, which may have been written nevertheless. */
  private giveUp(batch: Batch, error: Error): void {
    this.fail(batch.entries, error)
    // The broker would treat the next batch with this sequence as a repetition of this one, and drop it.
    this.forgetProducer(batch.queue)
    if (!isEmpty(batch.queue)) this.busy.add(batch.queue)
  }

  private forgetProducer(queue: PartitionQueue): void {
    this.identity.forget(queue.producer)
    renewProducer(queue, null)
  }

  private fail(entries: readonly Entry[], error: Error): void {
    for (const { call } of entries) {
      if (call.failed) continue
      call.failed = true
      this.calls.delete(call)
      this.options.onFailure(error)
      call.reject(error)
    }
    this.finishIfIdle()
  }

  /** Rejects appends that waited too long, sent or not, and finds requests that never end. */
  private sweep(): void {
    const now = Date.now()
    for (const batch of this.underWay) {
      const { sentAt, queue, lane } = batch
      // While the connection to its leader is being made, the batch can only time out.
      if (sentAt === null && batch.deadlineAt <= now && this.landed(batch))
        this.giveUp(batch, this.unavailable(queue))
      if (sentAt === null || now - Math.max(sentAt, lane?.throttledUntil ?? 0) < STUCK_AFTER_MS) continue
      const { topic, partition } = queue
      const stuck = new LogStoppedError(
        'stuck',
        `Kafka did not answer an append for ${STUCK_AFTER_MS / 1000} s.`,
      )
      this.options.connection.logger.error({ topic, partition }, stuck.message)
      this.landed(batch)
      this.giveUp(batch, this.unavailable(queue))
      this.options.onStuck(stuck)
    }
    for (const queue of this.busy) {
      for (const batch of queue.repeat.filter((each) => each.deadlineAt <= now)) {
        queue.repeat.splice(queue.repeat.indexOf(batch), 1)
        this.giveUp(batch, this.unavailable(queue))
      }
      this.fail(takeLate(queue, now), this.unavailable(queue))
      if (isEmpty(queue)) this.busy.delete(queue)
    }
    // A timer may fire slightly before its time by the clock, and find that a pause is not over yet.
    if (this.busy.size > 0) this.schedule()
  }

  private unavailable(queue: PartitionQueue): LogUnavailableError {
    const cause = this.identity.trouble() ?? queue.trouble ?? this.lanes.throttleTrouble()
    const why = cause instanceof Error ? cause.message : 'it did not answer'
    const limit = `${APPEND_DEADLINE_MS / 1000} s`
    return new LogUnavailableError(`Kafka did not acknowledge within ${limit}: ${why}.`, { cause })
  }

  private finishIfIdle(): void {
    if (this.calls.size > 0) return
    if (this.sweeping !== null && this.underWay.size === 0) {
      clearInterval(this.sweeping)
      this.sweeping = null
    }
    this.whenIdle?.()
  }
}
