/**
 * Appends records in few, well filled requests. What arrives in one turn of the event loop travels together, and while a
 * request is under way the next one fills up. Two lanes exist: `fast` keeps several requests in flight, `ordered` is
 * idempotent and keeps one per partition, so that neither order nor number changes when a request is repeated.
 */
import type { Logger } from '@cupel/contracts'
import { LogStoppedError, LogUnavailableError, RecordTooLargeError, type NewRecord } from '../port.js'
import { isKnown, knowTopics, openConnection } from './connection.js'
import { leaderOf, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'
import { encodeBatch, NO_PRODUCER, recordBytes, type ProducerIdentity } from './record-batch.js'
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
  readonly onRequest?: (figures: { records: number; seconds: number }) => void
  readonly onFailure?: (error: Error) => void
}

/** A partition's batch is closed here; a larger record travels alone. The broker refuses batches, not records: 2 MiB. */
const BATCH_BYTES = 512 * 1024
const BATCH_RECORDS = 2_000
/** All batches of one request together. */
const REQUEST_BYTES = 4 * 1024 * 1024
/** Requests under way per lane; more of them would be smaller ones. */
const REQUESTS_IN_FLIGHT = 3
const FAST_BATCHES_PER_PARTITION = 2
/** An append that is not acknowledged by then is rejected. */
const APPEND_DEADLINE_MS = 10_000
/** The connection's own limits end a request in 5 s; one that is still open now never will end. */
const STUCK_AFTER_MS = 10_000
const SWEEP_INTERVAL_MS = 250
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 500
const PRODUCER_ID_TIMEOUT_MS = 60_000

interface Call {
  readonly offsets: number[]
  readonly deadlineAt: number
  remaining: number
  readonly resolve: (offsets: readonly number[]) => void
  readonly reject: (error: Error) => void
  failed: boolean
}

interface Entry {
  readonly call: Call
  readonly index: number
  readonly record: NewRecord
  readonly bytes: number
}

interface Batch {
  readonly queue: PartitionQueue
  readonly entries: readonly Entry[]
  readonly bytes: number
  readonly deadlineAt: number
  attempts: number
  sequence: number
  sentAt: number
}

/** What waits for one partition, in order: batches that must be repeated, then entries. */
interface PartitionQueue {
  readonly topic: string
  readonly partition: number
  repeat: Batch[]
  waiting: Entry[]
  inFlight: number
  /** A call was cut into several batches: the next one waits for the one before. */
  cut: boolean
  notBefore: number
  producer: ProducerIdentity | null
  sequence: number
}

export function openProducerLane(options: ProducerLaneOptions): ProducerLane {
  const logger: Logger = options.connection.logger
  const connection = openConnection(options.connection)
  const queues = new Map<string, Map<number, PartitionQueue>>()
  /** Queues with something to send. */
  const busy = new Set<PartitionQueue>()
  const underWay = new Set<Batch>()
  const calls = new Set<Call>()
  const perPartition = options.lane === 'fast' ? FAST_BATCHES_PER_PARTITION : 1
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
      return new Promise((resolve, reject) => {
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
      })
    },
    async close() {
      closed = true
      if (calls.size > 0) await new Promise<void>((resolve) => (whenIdle = resolve))
      if (sweeping !== null) clearInterval(sweeping)
      await connection.close()
    },
  }

  function queueOf(topic: string, partition: number): PartitionQueue {
    let partitions = queues.get(topic)
    if (partitions === undefined) queues.set(topic, (partitions = new Map()))
    let queue = partitions.get(partition)
    if (queue === undefined) {
      queue = {
        topic,
        partition,
        repeat: [],
        waiting: [],
        inFlight: 0,
        cut: false,
        notBefore: 0,
        producer: null,
        sequence: 0,
      }
      partitions.set(partition, queue)
    }
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
      const sent = sendOnce(cluster)
      if (sent === 'leader-unknown') {
        connection.discard(cluster)
        return prepare()
      }
      if (sent === 'nothing') return
    }
  }

  function isPrepared(cluster: Cluster): boolean {
    if (options.lane === 'ordered' && producer === null) return false
    for (const queue of busy) if (!isKnown(cluster, queue.topic)) return false
    return true
  }

  /** Connects, learns the topics and, once, an id for the idempotent producer. One attempt at a time, with a pause after a failure. */
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
      for (const topic of new Set([...busy].map((queue) => queue.topic))) await knowTopics(cluster, [topic])
      if (options.lane === 'ordered') producer ??= await newProducer(cluster)
    } catch (error) {
      connection.discard(cluster)
      throw error
    }
  }

  /** One request to one leader. */
  function sendOnce(cluster: Cluster): 'sent' | 'nothing' | 'leader-unknown' {
    const metadata = cluster.brokerPool.metadata
    const now = Date.now()
    const batches: Batch[] = []
    let leader: number | null = null
    let bytes = 0
    for (const queue of busy) {
      if (!maySend(queue, now)) continue
      const own = leaderOf(metadata, queue.topic, queue.partition)
      if (own === null)
        return batches.length > 0 ? (send(cluster, leader!, batches), 'sent') : 'leader-unknown'
      if (leader !== null && own !== leader) continue
      leader = own
      const batch = takeBatch(queue)
      if (batch === null) continue
      batches.push(batch)
      bytes += batch.bytes
      if (bytes >= REQUEST_BYTES) break
    }
    if (batches.length === 0) return 'nothing'
    send(cluster, leader!, batches)
    return 'sent'
  }

  function maySend(queue: PartitionQueue, now: number): boolean {
    if (queue.notBefore > now) return false
    // Nothing overtakes what must be repeated, and the parts of a cut call follow one another.
    const alone = queue.repeat.length > 0 || queue.cut
    return alone ? queue.inFlight === 0 : queue.inFlight < perPartition
  }

  function takeBatch(queue: PartitionQueue): Batch | null {
    const batch = queue.repeat.shift() ?? newBatch(queue)
    if (queue.repeat.length === 0 && queue.waiting.length === 0) busy.delete(queue)
    return batch
  }

  function newBatch(queue: PartitionQueue): Batch | null {
    const { waiting } = queue
    let count = 0
    let bytes = 0
    let deadlineAt = Infinity
    while (count < waiting.length && count < BATCH_RECORDS) {
      const entry = waiting[count]!
      if (count > 0 && bytes + entry.bytes > BATCH_BYTES) break
      bytes += entry.bytes
      if (entry.call.deadlineAt < deadlineAt) deadlineAt = entry.call.deadlineAt
      count += 1
    }
    if (count === 0) return null
    const entries = count === waiting.length ? waiting : waiting.slice(0, count)
    queue.waiting = count === waiting.length ? [] : waiting.slice(count)
    queue.cut = queue.waiting.length > 0
    if (options.lane === 'ordered') queue.producer ??= producer
    const sequence = queue.sequence
    queue.sequence = (queue.sequence + count) % 2 ** 31
    return { queue, entries, bytes, deadlineAt, attempts: 0, sequence, sentAt: 0 }
  }

  function send(cluster: Cluster, leader: number, batches: readonly Batch[]): void {
    requests += 1
    const now = Date.now()
    const startedAt = performance.now()
    let records = 0
    for (const batch of batches) {
      batch.sentAt = now
      batch.attempts += 1
      batch.queue.inFlight += 1
      records += batch.entries.length
      underWay.add(batch)
    }
    const parts = batches.map((batch) => ({
      topic: batch.queue.topic,
      partition: batch.queue.partition,
      batch: encodeBatch(
        batch.entries.map((entry) => entry.record),
        batch.bytes,
        now,
        batch.queue.producer ?? NO_PRODUCER,
        batch.sequence,
      ),
    }))
    cluster
      .findBroker({ nodeId: leader })
      .then((broker) => broker.connectionPool.send(produceRequest(parts)))
      .then(
        (answers) => {
          options.onRequest?.({ records, seconds: (performance.now() - startedAt) / 1000 })
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
      const { queue } = batch
      const answer = answers.find((each) => each.topic === queue.topic && each.partition === queue.partition)
      const error = answer?.error ?? wireErrors.UNKNOWN_TOPIC_OR_PARTITION
      if (error === wireErrors.NONE) acknowledge(batch, answer!.baseOffset)
      else if (isPassing(error)) {
        stale = true
        lastTrouble = new Error(`Kafka answered error ${error} for ${queue.topic}/${queue.partition}`)
        again(batch)
      } else if (error === wireErrors.MESSAGE_TOO_LARGE || error === wireErrors.RECORD_LIST_TOO_LARGE)
        tooLarge(batch)
      else if (
        error === wireErrors.OUT_OF_ORDER_SEQUENCE_NUMBER ||
        error === wireErrors.UNKNOWN_PRODUCER_ID ||
        error === wireErrors.INVALID_PRODUCER_EPOCH
      ) {
        lastTrouble = new Error(`Kafka no longer knows the sequence of ${queue.topic}/${queue.partition}`)
        void renewProducer(cluster, batch)
      } else
        giveUp(
          batch,
          new LogUnavailableError(`Kafka refused records for ${queue.topic} with error ${error}.`),
        )
    }
    if (stale) connection.discard(cluster)
  }

  function acknowledge(batch: Batch, baseOffset: number): void {
    const { entries } = batch
    for (let index = 0; index < entries.length; index += 1) {
      const { call, index: place } = entries[index]!
      call.offsets[place] = baseOffset + index
      call.remaining -= 1
      if (call.remaining === 0 && !call.failed) {
        calls.delete(call)
        call.resolve(call.offsets)
      }
    }
  }

  /** Puts a batch back at the head of its partition; its sequence stays, so that the broker knows a repetition. */
  function again(batch: Batch): void {
    if (Date.now() >= batch.deadlineAt) return giveUp(batch, unavailable())
    const { queue } = batch
    const waitMs = retryPauseMs(batch.attempts)
    queue.notBefore = Date.now() + waitMs
    queue.repeat.push(batch)
    queue.repeat.sort((one, other) => one.sequence - other.sequence)
    busy.add(queue)
    setTimeout(schedule, waitMs)
  }

  /** The broker accepts less than we assumed: halves are sent one after the other, a single record is refused. */
  function tooLarge(batch: Batch): void {
    const { queue, entries } = batch
    if (entries.length === 1) {
      giveUp(
        batch,
        new RecordTooLargeError(`Kafka accepts no record of ${entries[0]!.bytes} bytes on ${queue.topic}.`),
      )
      return
    }
    const middle = Math.ceil(entries.length / 2)
    const bytesOf = (part: readonly Entry[]): number => part.reduce((sum, entry) => sum + entry.bytes, 0)
    const [head, tail] = [entries.slice(0, middle), entries.slice(middle)]
    queue.repeat.unshift(
      { ...batch, entries: head, bytes: bytesOf(head), sentAt: 0 },
      {
        ...batch,
        entries: tail,
        bytes: bytesOf(tail),
        sentAt: 0,
        sequence: (batch.sequence + middle) % 2 ** 31,
      },
    )
    busy.add(queue)
    schedule()
  }

  async function renewProducer(cluster: Cluster, batch: Batch): Promise<void> {
    const { queue } = batch
    queue.inFlight += 1
    try {
      queue.producer = await newProducer(cluster)
      restartSequence(queue, batch)
    } catch (error) {
      lastTrouble = error
      connection.discard(cluster)
    } finally {
      queue.inFlight -= 1
    }
    again(batch)
  }

  function restartSequence(queue: PartitionQueue, first: Batch): void {
    let next = 0
    for (const batch of [first, ...queue.repeat]) {
      batch.sequence = next
      next += batch.entries.length
    }
    queue.sequence = next
  }

  async function newProducer(cluster: Cluster): Promise<ProducerIdentity> {
    const broker = await cluster.findControllerBroker()
    const { producerId, producerEpoch } = await broker.initProducerId({
      transactionTimeout: PRODUCER_ID_TIMEOUT_MS,
    })
    return { id: BigInt(producerId), epoch: producerEpoch }
  }

  /**
   * Rejects the calls of a batch. Whether it was written is not known, and the next batch must not be taken for its
   * repetition: the partition goes on under a new producer id.
   */
  function giveUp(batch: Batch, error: Error): void {
    fail(batch.entries, error)
    const { queue } = batch
    if (options.lane === 'fast' || queue.producer === null) return
    if (queue.producer === producer) producer = null
    queue.producer = null
    queue.sequence = 0
    queue.waiting = [...queue.repeat.flatMap((each) => each.entries), ...queue.waiting]
    queue.repeat = []
    if (queue.waiting.length > 0) busy.add(queue)
  }

  function fail(entries: readonly Entry[], error: Error): void {
    for (const { call } of entries) {
      if (call.failed) continue
      call.failed = true
      calls.delete(call)
      options.onFailure?.(error)
      call.reject(error)
    }
    finishIfIdle()
  }

  /** Rejects what waited too long, whether or not it was sent, and notices requests that never end. */
  function sweep(): void {
    const now = Date.now()
    for (const batch of underWay) {
      if (now - batch.sentAt < STUCK_AFTER_MS) continue
      landed(batch)
      const stuck = new LogStoppedError(
        'stuck',
        `Kafka left an append unanswered for ${STUCK_AFTER_MS / 1000} s.`,
      )
      logger.error({ topic: batch.queue.topic, partition: batch.queue.partition }, stuck.message)
      giveUp(batch, unavailable())
      options.onStuck(stuck)
    }
    for (const queue of busy) {
      const late = queue.repeat.filter((batch) => batch.deadlineAt <= now)
      if (late.length > 0) {
        queue.repeat = queue.repeat.filter((batch) => batch.deadlineAt > now)
        for (const batch of late) giveUp(batch, unavailable())
      }
      if (queue.waiting.some((entry) => entry.call.deadlineAt <= now || entry.call.failed)) {
        const lateEntries = queue.waiting.filter((entry) => entry.call.deadlineAt <= now || entry.call.failed)
        queue.waiting = queue.waiting.filter((entry) => entry.call.deadlineAt > now && !entry.call.failed)
        fail(lateEntries, unavailable())
      }
      if (queue.repeat.length === 0 && queue.waiting.length === 0) busy.delete(queue)
    }
    finishIfIdle()
  }

  function unavailable(): LogUnavailableError {
    const why = lastTrouble instanceof Error ? lastTrouble.message : 'it did not answer'
    return new LogUnavailableError(
      `Kafka did not acknowledge within ${APPEND_DEADLINE_MS / 1000} s: ${why}`,
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
