/** Records that wait to be appended to one partition, cut into batches that a broker accepts. */
import type { NewRecord } from '../port.js'
import type { Compression } from './pack.js'
import type { Lane } from './produce-lanes.js'
import { BATCH_OVERHEAD, NO_PRODUCER, writeBatch, type ProducerIdentity } from './record-batch.js'
import type { ProducePart } from './wire.js'

/** One append: resolves when all its records are acknowledged. */
export interface Call {
  readonly offsets: number[]
  readonly deadlineAt: number
  remaining: number
  readonly resolve: (offsets: readonly number[]) => void
  readonly reject: (error: Error) => void
  failed: boolean
}

export interface Entry {
  readonly call: Call
  /** Place among the call's records. */
  readonly index: number
  readonly record: NewRecord
  readonly bytes: number
}

export interface Batch {
  readonly queue: PartitionQueue
  readonly entries: readonly Entry[]
  readonly bytes: number
  readonly deadlineAt: number
  /** Number of its first record among those of its producer in this partition. A broker detects retries by it. */
  readonly sequence: number
  readonly producer: ProducerIdentity | null
  attempts: number
  /** Null until it is sent: a connection to its leader may have to be made first. */
  sentAt: number | null
  /** The lane of the last attempt. */
  lane: Lane | null
}

export interface PartitionQueue {
  readonly topic: string
  readonly partition: number
  /** Failed batches, in order; they are sent before new records. */
  repeat: Batch[]
  waiting: Entry[]
  inFlight: number
  /** A call was cut into several batches: each waits for the one before it. */
  cut: boolean
  notBefore: number
  /** The last batch failed for a reason of this partition: the next one must delay no other partition. */
  isSuspect: boolean
  /** Failed attempts since the last acknowledgement, including those without a leader. */
  failures: number
  /** The reason, for the error of an append that waits too long. */
  trouble: unknown
  producer: ProducerIdentity | null
  nextSequence: number
}

/** A batch holds at most this much; a larger record goes by itself. The broker limits batches, not records: 2 MiB. */
const BATCH_BYTES = 512 * 1024
const BATCH_RECORDS = 2_000
/** Sequences are positive 32-bit numbers; after the largest comes 0. */
const SEQUENCES = 2 ** 31

export function partitionQueue(topic: string, partition: number): PartitionQueue {
  return {
    topic,
    partition,
    repeat: [],
    waiting: [],
    inFlight: 0,
    cut: false,
    notBefore: 0,
    isSuspect: false,
    failures: 0,
    trouble: null,
    producer: null,
    nextSequence: 0,
  }
}

export const isEmpty = (queue: PartitionQueue): boolean =>
  queue.repeat.length === 0 && queue.waiting.length === 0

/** Whether another batch may be sent while `inFlight` of at most `atOnce` are under way. */
export function maySend(queue: PartitionQueue, atOnce: number, now: number): boolean {
  if (queue.notBefore > now) return false
  // No record overtakes a batch that must be retried, and the parts of a cut call follow each other.
  const alone = queue.repeat.length > 0 || queue.cut
  return alone ? queue.inFlight === 0 : queue.inFlight < atOnce
}

/** The next batch, or null if nothing waits. `producer` is for partitions that have none yet. */
export function takeBatch(queue: PartitionQueue, producer: ProducerIdentity | null): Batch | null {
  return queue.repeat.shift() ?? newBatch(queue, producer)
}

function newBatch(queue: PartitionQueue, producer: ProducerIdentity | null): Batch | null {
  const { waiting } = queue
  let count = 0
  let bytes = 0
  let deadlineAt = Infinity
  while (count < waiting.length && count < BATCH_RECORDS) {
    const entry = waiting[count]!
    if (count > 0 && bytes + entry.bytes > BATCH_BYTES) break
    bytes += entry.bytes
    deadlineAt = Math.min(deadlineAt, entry.call.deadlineAt)
    count += 1
  }
  if (count === 0) return null
  const whole = count === waiting.length
  const entries = whole ? waiting : waiting.slice(0, count)
  queue.waiting = whole ? [] : waiting.slice(count)
  queue.cut = !whole
  queue.producer ??= producer
  const sequence = queue.nextSequence
  queue.nextSequence = (sequence + count) % SEQUENCES
  return {
    queue,
    entries,
    bytes,
    deadlineAt,
    sequence,
    producer: queue.producer,
    attempts: 0,
    sentAt: null,
    lane: null,
  }
}

/** Puts a batch back in front of the queue; it keeps its sequence. */
export function putBack(batch: Batch, waitMs: number): void {
  const { queue } = batch
  queue.notBefore = Date.now() + waitMs
  queue.repeat.push(batch)
  queue.repeat.sort((one, other) => one.sequence - other.sequence)
}

/** Puts a batch back as two halves, the second one after the first. */
export function putBackHalves(batch: Batch): void {
  const middle = Math.ceil(batch.entries.length / 2)
  const halves = [batch.entries.slice(0, middle), batch.entries.slice(middle)]
  batch.queue.repeat.unshift(
    ...halves.map((entries, half) => ({
      ...batch,
      entries,
      bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
      sequence: (batch.sequence + half * middle) % SEQUENCES,
      sentAt: null,
    })),
  )
}

/** Continues with another producer and the first sequence, if it is not known what the broker accepted last. */
export function renewProducer(queue: PartitionQueue, producer: ProducerIdentity | null): void {
  queue.waiting = [...queue.repeat.flatMap((batch) => batch.entries), ...queue.waiting]
  queue.repeat = []
  queue.producer = producer
  queue.nextSequence = 0
}

/** Removes and returns the entries that waited too long or belong to a failed call. */
export function takeLate(queue: PartitionQueue, now: number): readonly Entry[] {
  const isLate = ({ call }: Entry): boolean => call.failed || call.deadlineAt <= now
  if (!queue.waiting.some(isLate)) return []
  const late = queue.waiting.filter(isLate)
  queue.waiting = queue.waiting.filter((entry) => !isLate(entry))
  return late
}

/** A batch as it is sent, marked with the time of sending. */
export function producePart(
  { queue, entries, bytes, producer, sequence }: Batch,
  timestampMs: number,
  compression: Compression,
): ProducePart {
  const records = entries.map((entry) => entry.record)
  return {
    topic: queue.topic,
    partition: queue.partition,
    largestBytes: BATCH_OVERHEAD + bytes,
    writeBatch: (into, at) =>
      writeBatch(into, at, {
        ...{ records, timestampMs, sequence, compression },
        producer: producer ?? NO_PRODUCER,
      }),
  }
}
