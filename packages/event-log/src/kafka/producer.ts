/**
 * Appends records in few, well filled requests. Records that arrive in one turn of the event loop share a request, and while a
 * request is under way the next one fills up. There are two producers: `fast` keeps several requests of a partition in flight;
 * `ordered` is idempotent and keeps one, so that a repeated request changes neither the order nor the number of records.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { LogStoppedError, LogUnavailableError, RecordTooLargeError, type NewRecord } from '../port.js'
import { isKnown, knowTopics, openConnection, type Connection } from './connection.js'
import { leaderOf, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'
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
import { recordBytes, type ProducerIdentity } from './record-batch.js'
import { isPassing, produceRequest, wireErrors, type ProduceAnswer } from './wire.js'

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
  /** A request got neither an answer nor an error: the process should end, so that its supervisor starts another one. */
  readonly onStuck: (error: LogStoppedError) => void
  /** Records of a request that was answered. */
  readonly onRequest: (records: number) => void
  readonly onFailure: (error: Error) => void
}

/** All batches of one request together. */
const REQUEST_BYTES = 4 * 1024 * 1024
/** Requests under way per producer; more of them would be smaller ones. */
const REQUESTS_IN_FLIGHT = 3
const BATCHES_IN_FLIGHT = { fast: 2, ordered: 1 }
/** An append that is not acknowledged by then is rejected. */
const APPEND_DEADLINE_MS = 10_000
/** The connection's own limits end a request in 5 s; one that is still open now will never end. */
const STUCK_AFTER_MS = 10_000
const SWEEP_INTERVAL_MS = 250
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 500
const TRANSACTION_TIMEOUT_MS = 60_000

const UNKNOWN_SEQUENCE: ReadonlySet<number> = new Set([
  wireErrors.OUT_OF_ORDER_SEQUENCE_NUMBER,
  wireErrors.UNKNOWN_PRODUCER_ID,
  wireErrors.INVALID_PRODUCER_EPOCH,
])

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
  private requests = 0
  private isScheduled = false
  private preparing: Promise<void> | null = null
  private prepareFailures = 0
  private lastTrouble: unknown = null
  private identity: ProducerIdentity | null = null
  private sweeping: NodeJS.Timeout | null = null
  private isClosed = false
  private whenIdle: (() => void) | null = null

  constructor(options: ProducerOptions) {
    this.options = options
    this.connection = openConnection(options.connection)
  }

  append(records: readonly PlacedRecord[]): Promise<readonly number[]> {
    if (this.isClosed) return Promise.reject(new LogUnavailableError('The log was closed.'))
    return new Promise((resolve, reject) => this.accept(records, resolve, reject))
  }

  async close(): Promise<void> {
    this.isClosed = true
    if (this.calls.size > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve))
    if (this.sweeping !== null) clearInterval(this.sweeping)
    await this.connection.close()
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
    if (cluster === null || !this.isPrepared(cluster)) return this.prepare()
    while (this.requests < REQUESTS_IN_FLIGHT) {
      const outcome = this.sendOne(cluster)
      if (outcome === 'leader-unknown') {
        this.connection.discard(cluster)
        return this.prepare()
      }
      if (outcome === 'nothing-to-send') return
    }
  }

  private isPrepared(cluster: Cluster): boolean {
    if (this.options.kind === 'ordered' && this.identity === null) return false
    for (const queue of this.busy) if (!isKnown(cluster, queue.topic)) return false
    return true
  }

  /** Connects, learns the topics and gets a producer id. One attempt at a time, with a pause after a failure. */
  private prepare(): void {
    this.preparing ??= this.prepareOnce()
      .then(
        () => (this.prepareFailures = 0),
        async (error: unknown) => {
          this.lastTrouble = error
          this.prepareFailures += 1
          await pause(retryPauseMs(this.prepareFailures))
        },
      )
      .then(() => {
        this.preparing = null
        if (this.busy.size > 0) this.schedule()
      })
  }

  private async prepareOnce(): Promise<void> {
    const cluster = await this.connection.cluster()
    try {
      // One by one: a topic that does not exist must not keep the others from being known.
      for (const topic of new Set([...this.busy].map((queue) => queue.topic)))
        await knowTopics(cluster, [topic])
      if (this.options.kind === 'ordered') this.identity ??= await this.newProducer(cluster)
    } catch (error) {
      this.connection.discard(cluster)
      throw error
    }
  }

  private async newProducer(cluster: Cluster): Promise<ProducerIdentity> {
    const broker = await cluster.findControllerBroker()
    const answer = await broker.initProducerId({ transactionTimeout: TRANSACTION_TIMEOUT_MS })
    return { id: BigInt(answer.producerId), epoch: answer.producerEpoch }
  }

  /** One request to one leader, with a batch of each of its partitions that may send. */
  private sendOne(cluster: Cluster): 'sent' | 'nothing-to-send' | 'leader-unknown' {
    const metadata = cluster.brokerPool.metadata
    const now = Date.now()
    const batches: Batch[] = []
    let leader: number | null = null
    let bytes = 0
    for (const queue of this.busy) {
      if (!maySend(queue, BATCHES_IN_FLIGHT[this.options.kind], now)) continue
      const own = leaderOf(metadata, queue.topic, queue.partition)
      if (own === null && batches.length === 0) return 'leader-unknown'
      if (own === null || (leader !== null && own !== leader)) continue
      const batch = takeBatch(queue, this.identity)
      if (isEmpty(queue)) this.busy.delete(queue)
      if (batch === null) continue
      leader = own
      batches.push(batch)
      bytes += batch.bytes
      if (bytes >= REQUEST_BYTES) break
    }
    if (leader === null) return 'nothing-to-send'
    this.send(cluster, leader, batches)
    return 'sent'
  }

  private send(cluster: Cluster, leader: number, batches: readonly Batch[]): void {
    this.requests += 1
    const now = Date.now()
    let records = 0
    for (const batch of batches) {
      batch.sentAt = now
      batch.attempts += 1
      batch.queue.inFlight += 1
      this.underWay.add(batch)
      records += batch.entries.length
    }
    const request = produceRequest(batches.map((batch) => producePart(batch, now)))
    cluster
      .findBroker({ nodeId: leader })
      .then((broker) => broker.connectionPool.send(request))
      .then(
        (answers) => {
          this.options.onRequest(records)
          this.settle(cluster, batches, answers)
        },
        (error: unknown) => {
          this.lastTrouble = error
          this.connection.discard(cluster)
          for (const batch of batches) if (this.landed(batch)) this.again(batch)
        },
      )
      .finally(() => {
        this.requests -= 1
        if (this.busy.size > 0) this.flush()
        this.finishIfIdle()
      })
  }

  /** False where the sweep has rejected the batch meanwhile. */
  private landed(batch: Batch): boolean {
    if (!this.underWay.delete(batch)) return false
    batch.queue.inFlight -= 1
    return true
  }

  private settle(cluster: Cluster, batches: readonly Batch[], answers: readonly ProduceAnswer[]): void {
    let stale = false
    for (const batch of batches) {
      if (!this.landed(batch)) continue
      const { topic, partition } = batch.queue
      const answer = answers.find((each) => each.topic === topic && each.partition === partition)
      const error = answer?.error ?? wireErrors.UNKNOWN_TOPIC_OR_PARTITION
      if (error === wireErrors.NONE) this.acknowledge(batch, answer!.baseOffset)
      else if (error === wireErrors.MESSAGE_TOO_LARGE || error === wireErrors.RECORD_LIST_TOO_LARGE)
        this.tooLarge(batch)
      else if (UNKNOWN_SEQUENCE.has(error)) this.unknownSequence(batch)
      else if (isPassing(error)) {
        stale = true
        this.lastTrouble = new Error(`error ${error} for ${topic}/${partition}`)
        this.again(batch)
      } else
        this.giveUp(batch, new LogUnavailableError(`Kafka refused records for ${topic} with error ${error}.`))
    }
    if (stale) this.connection.discard(cluster)
  }

  private acknowledge(batch: Batch, baseOffset: number): void {
    const { entries } = batch
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
    if (Date.now() >= batch.deadlineAt) return this.giveUp(batch, this.unavailable())
    const waitMs = retryPauseMs(batch.attempts)
    putBack(batch, waitMs)
    this.busy.add(batch.queue)
    setTimeout(() => this.schedule(), waitMs)
  }

  /** The broker accepts less than expected: the halves of the batch go one after the other; a single record is rejected. */
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
    this.lastTrouble = new Error(
      `the sequence of ${batch.queue.topic}/${batch.queue.partition} is no longer known`,
    )
    putBack(batch, retryPauseMs(batch.attempts))
    this.forgetProducer(batch.queue)
    this.busy.add(batch.queue)
  }

  /** Rejects the calls of a batch, which may have been written nevertheless. */
  private giveUp(batch: Batch, error: Error): void {
    this.fail(batch.entries, error)
    // The broker would take the next batch with this sequence for a repetition of this one, and drop it.
    this.forgetProducer(batch.queue)
    if (!isEmpty(batch.queue)) this.busy.add(batch.queue)
  }

  private forgetProducer(queue: PartitionQueue): void {
    if (queue.producer !== null && queue.producer === this.identity) this.identity = null
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
      if (now - batch.sentAt < STUCK_AFTER_MS) continue
      const { topic, partition } = batch.queue
      const limit = `${STUCK_AFTER_MS / 1000} s`
      const stuck = new LogStoppedError('stuck', `Kafka did not answer an append for ${limit}.`)
      this.options.connection.logger.error({ topic, partition }, stuck.message)
      this.landed(batch)
      this.giveUp(batch, this.unavailable())
      this.options.onStuck(stuck)
    }
    for (const queue of this.busy) {
      for (const batch of queue.repeat.filter((each) => each.deadlineAt <= now)) {
        queue.repeat.splice(queue.repeat.indexOf(batch), 1)
        this.giveUp(batch, this.unavailable())
      }
      this.fail(takeLate(queue, now), this.unavailable())
      if (isEmpty(queue)) this.busy.delete(queue)
    }
    // A timer may fire a moment before its time by the clock, and find that a pause is not over yet.
    if (this.busy.size > 0) this.schedule()
  }

  private unavailable(): LogUnavailableError {
    const cause = this.lastTrouble
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

const retryPauseMs = (attempt: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS)
