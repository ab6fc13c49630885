/**
 * Appends records in few, well filled requests. What arrives in one turn of the event loop travels together, and while a
 * request is under way the next one fills up. Two lanes exist: `fast` keeps several requests in flight, `ordered` is
 * idempotent and keeps one per partition, so that neither order nor number changes when a request is repeated.
 */
import { LogStoppedError, LogUnavailableError, RecordTooLargeError, type NewRecord } from '../port.js'
import { isKnown, knowTopics, openConnection } from './connection.js'
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

export interface ProducerLane {
  /** Resolves to the records' offsets, in their order, when all are acknowledged. Topics are as on the wire. */
  append(records: readonly PlacedRecord[]): Promise<readonly number[]>
  /** Sends what was accepted and ends. */
  close(): Promise<void>
}

export interface PlacedRecord {
  readonly wireTopic: string
  readonly partition: number
  readonly record: NewRecord
}

export interface ProducerLaneOptions {
  readonly connection: KafkaConnectionOptions
  readonly lane: 'fast' | 'ordered'
  /** A request got neither an answer nor an error: the process should end, and its supervisor start another one. */
  readonly onStuck: (error: LogStoppedError) => void
  /** Records of a request that was answered. */
  readonly onRequest: (records: number) => void
  readonly onFailure: (error: Error) => void
}

/** All batches of one request together. */
const REQUEST_BYTES = 4 * 1024 * 1024
/** Requests under way per lane; more of them would be smaller ones. */
const REQUESTS_IN_FLIGHT = 3
const BATCHES_IN_FLIGHT = { fast: 2, ordered: 1 }
/** An append that is not acknowledged by then is rejected. */
const APPEND_DEADLINE_MS = 10_000
/** The connection's own limits end a request in 5 s; one that is still open now never will end. */
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

export function openProducerLane(options: ProducerLaneOptions): ProducerLane {
  const { logger } = options.connection
  const connection = openConnection(options.connection)
  const queues = new Map<string, Map<number, PartitionQueue>>()
  /** Queues with something to send. */
  const busy = new Set<PartitionQueue>()
  const underWay = new Set<Batch>()
  const calls = new Set<Call>()
  let requests = 0
  let scheduled = false
  let preparing: Promise<void> | null = null
  let prepareFailures = 0
  let lastTrouble: unknown = null
  let producer: ProducerIdentity | null = null
  let sweeping: NodeJS.Timeout | null = null
  let closed = false
  let whenIdle: (() => void) | null = null

  return {
    append(records) {
      if (closed) return Promise.reject(new LogUnavailableError('The log was closed.'))
      return new Promise((resolve, reject) => accept(records, resolve, reject))
    },
    async close() {
      closed = true
      if (calls.size > 0) await new Promise<void>((resolve) => (whenIdle = resolve))
      if (sweeping !== null) clearInterval(sweeping)
      await connection.close()
    },
  }

  function accept(records: readonly PlacedRecord[], resolve: Call['resolve'], reject: Call['reject']): void {
    const call: Call = {
      offsets: new Array<number>(records.length),
      deadlineAt: Date.now() + APPEND_DEADLINE_MS,
      remaining: records.length,
      resolve,
      reject,
      failed: false,
    }
    calls.add(call)
    for (let index = 0; index < records.length; index += 1) {
      const { wireTopic, partition, record } = records[index]!
      const queue = queueOf(wireTopic, partition)
      queue.waiting.push({ call, index, record, bytes: recordBytes(record) })
      busy.add(queue)
    }
    sweeping ??= setInterval(sweep, SWEEP_INTERVAL_MS)
    schedule()
  }

  function queueOf(topic: string, partition: number): PartitionQueue {
    let partitions = queues.get(topic)
    if (partitions === undefined) queues.set(topic, (partitions = new Map()))
    let queue = partitions.get(partition)
    if (queue === undefined) partitions.set(partition, (queue = partitionQueue(topic, partition)))
    return queue
  }

  function schedule(): void {
    if (scheduled || calls.size === 0) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    if (busy.size === 0) return
    const cluster = connection.current()
    if (cluster === null || !isPrepared(cluster)) return prepare()
    while (requests < REQUESTS_IN_FLIGHT) {
      const outcome = sendOne(cluster)
      if (outcome === 'leader-unknown') {
        connection.discard(cluster)
        return prepare()
      }
      if (outcome === 'nothing-to-send') return
    }
  }

  function isPrepared(cluster: Cluster): boolean {
    if (options.lane === 'ordered' && producer === null) return false
    for (const queue of busy) if (!isKnown(cluster, queue.topic)) return false
    return true
  }

  /** Connects, learns the topics and gets a producer id. One attempt at a time, with a pause after a failure. */
  function prepare(): void {
    preparing ??= prepareOnce()
      .then(
        () => (prepareFailures = 0),
        async (error: unknown) => {
          lastTrouble = error
          prepareFailures += 1
          await pause(retryPauseMs(prepareFailures))
        },
      )
      .then(() => {
        preparing = null
        if (busy.size > 0) schedule()
      })
  }

  async function prepareOnce(): Promise<void> {
    const cluster = await connection.cluster()
    try {
      // One by one: a topic that does not exist must not keep the others from being known.
      for (const topic of new Set([...busy].map((queue) => queue.topic))) await knowTopics(cluster, [topic])
      if (options.lane === 'ordered') producer ??= await newProducer(cluster)
    } catch (error) {
      connection.discard(cluster)
      throw error
    }
  }

  async function newProducer(cluster: Cluster): Promise<ProducerIdentity> {
    const broker = await cluster.findControllerBroker()
    const answer = await broker.initProducerId({ transactionTimeout: TRANSACTION_TIMEOUT_MS })
    return { id: BigInt(answer.producerId), epoch: answer.producerEpoch }
  }

  /** One request to one leader, with a batch of each of its partitions that may send. */
  function sendOne(cluster: Cluster): 'sent' | 'nothing-to-send' | 'leader-unknown' {
    const metadata = cluster.brokerPool.metadata
    const now = Date.now()
    const batches: Batch[] = []
    let leader: number | null = null
    let bytes = 0
    for (const queue of busy) {
      if (!maySend(queue, BATCHES_IN_FLIGHT[options.lane], now)) continue
      const own = leaderOf(metadata, queue.topic, queue.partition)
      if (own === null && batches.length === 0) return 'leader-unknown'
      if (own === null || (leader !== null && own !== leader)) continue
      const batch = takeBatch(queue, producer)
      if (isEmpty(queue)) busy.delete(queue)
      if (batch === null) continue
      leader = own
      batches.push(batch)
      bytes += batch.bytes
      if (bytes >= REQUEST_BYTES) break
    }
    if (leader === null) return 'nothing-to-send'
    send(cluster, leader, batches)
    return 'sent'
  }

  function send(cluster: Cluster, leader: number, batches: readonly Batch[]): void {
    requests += 1
    const now = Date.now()
    let records = 0
    for (const batch of batches) {
      batch.sentAt = now
      batch.attempts += 1
      batch.queue.inFlight += 1
      underWay.add(batch)
      records += batch.entries.length
    }
    const request = produceRequest(batches.map((batch) => producePart(batch, now)))
    cluster
      .findBroker({ nodeId: leader })
      .then((broker) => broker.connectionPool.send(request))
      .then(
        (answers) => {
          options.onRequest(records)
          settle(cluster, batches, answers)
        },
        (error: unknown) => {
          lastTrouble = error
          connection.discard(cluster)
          for (const batch of batches) if (landed(batch)) again(batch)
        },
      )
      .finally(() => {
        requests -= 1
        if (busy.size > 0) flush()
        finishIfIdle()
      })
  }

  /** False where the sweep has given the batch up meanwhile. */
  function landed(batch: Batch): boolean {
    if (!underWay.delete(batch)) return false
    batch.queue.inFlight -= 1
    return true
  }

  function settle(cluster: Cluster, batches: readonly Batch[], answers: readonly ProduceAnswer[]): void {
    let stale = false
    for (const batch of batches) {
      if (!landed(batch)) continue
      const { topic, partition } = batch.queue
      const answer = answers.find((each) => each.topic === topic && each.partition === partition)
      const error = answer?.error ?? wireErrors.UNKNOWN_TOPIC_OR_PARTITION
      if (error === wireErrors.NONE) acknowledge(batch, answer!.baseOffset)
      else if (error === wireErrors.MESSAGE_TOO_LARGE || error === wireErrors.RECORD_LIST_TOO_LARGE)
        tooLarge(batch)
      else if (UNKNOWN_SEQUENCE.has(error)) unknownSequence(batch)
      else if (isPassing(error)) {
        stale = true
        lastTrouble = new Error(`error ${error} for ${topic}/${partition}`)
        again(batch)
      } else giveUp(batch, new LogUnavailableError(`Kafka refused records for ${topic} with error ${error}.`))
    }
    if (stale) connection.discard(cluster)
  }

  function acknowledge(batch: Batch, baseOffset: number): void {
    const { entries } = batch
    for (let index = 0; index < entries.length; index += 1) {
      const { call, index: place } = entries[index]!
      call.offsets[place] = baseOffset + index
      call.remaining -= 1
      if (call.remaining > 0 || call.failed) continue
      calls.delete(call)
      call.resolve(call.offsets)
    }
  }

  function again(batch: Batch): void {
    if (Date.now() >= batch.deadlineAt) return giveUp(batch, unavailable())
    const waitMs = retryPauseMs(batch.attempts)
    putBack(batch, waitMs)
    busy.add(batch.queue)
    setTimeout(schedule, waitMs)
  }

  /** The broker accepts less than we assumed: halves go one after the other, a single record is refused. */
  function tooLarge(batch: Batch): void {
    const [first, second] = batch.entries
    if (second === undefined) {
      const sentence = `Kafka accepts no record of ${first!.bytes} bytes on ${batch.queue.topic}.`
      return giveUp(batch, new RecordTooLargeError(sentence))
    }
    putBackHalves(batch)
    busy.add(batch.queue)
  }

  /** The broker lost track of the producer, which retention or a lost log can cause: begin anew with these records. */
  function unknownSequence(batch: Batch): void {
    lastTrouble = new Error(
      `the sequence of ${batch.queue.topic}/${batch.queue.partition} is no longer known`,
    )
    putBack(batch, retryPauseMs(batch.attempts))
    forgetProducer(batch.queue)
    busy.add(batch.queue)
  }

  /** Rejects the calls of a batch. Whether it was written is not known. */
  function giveUp(batch: Batch, error: Error): void {
    fail(batch.entries, error)
    // The next batch under the same sequence would be taken for a repetition of this one, and be dropped.
    forgetProducer(batch.queue)
    if (!isEmpty(batch.queue)) busy.add(batch.queue)
  }

  function forgetProducer(queue: PartitionQueue): void {
    if (queue.producer !== null && queue.producer === producer) producer = null
    renewProducer(queue, null)
  }

  function fail(entries: readonly Entry[], error: Error): void {
    for (const { call } of entries) {
      if (call.failed) continue
      call.failed = true
      calls.delete(call)
      options.onFailure(error)
      call.reject(error)
    }
    finishIfIdle()
  }

  /** Rejects what waited too long, whether or not it was sent, and notices requests that never end. */
  function sweep(): void {
    const now = Date.now()
    for (const batch of underWay) {
      if (now - batch.sentAt < STUCK_AFTER_MS) continue
      const { topic, partition } = batch.queue
      const stuck = new LogStoppedError(
        'stuck',
        `Kafka left an append unanswered for ${STUCK_AFTER_MS / 1000} s.`,
      )
      logger.error({ topic, partition }, stuck.message)
      landed(batch)
      giveUp(batch, unavailable())
      options.onStuck(stuck)
    }
    for (const queue of busy) {
      for (const batch of queue.repeat.filter((each) => each.deadlineAt <= now)) {
        queue.repeat.splice(queue.repeat.indexOf(batch), 1)
        giveUp(batch, unavailable())
      }
      fail(takeLate(queue, now), unavailable())
      if (isEmpty(queue)) busy.delete(queue)
    }
    // A timer may ring a moment before its time by the clock, and find that a pause is not over yet.
    if (busy.size > 0) schedule()
  }

  function unavailable(): LogUnavailableError {
    const why = lastTrouble instanceof Error ? lastTrouble.message : 'it did not answer'
    return new LogUnavailableError(
      `Kafka did not acknowledge within ${APPEND_DEADLINE_MS / 1000} s: ${why}.`,
      {
        cause: lastTrouble,
      },
    )
  }

  function finishIfIdle(): void {
    if (calls.size > 0) return
    if (sweeping !== null && underWay.size === 0) {
      clearInterval(sweeping)
      sweeping = null
    }
    whenIdle?.()
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const retryPauseMs = (attempt: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS)
