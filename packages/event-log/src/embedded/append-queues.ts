/**
 * Gathers appends into few writes. Each topic has a queue of its own with one write in flight, so that the two appends of a screening share
 * the server's group commit instead of waiting for each other.
 */
import { createBatcher, LATE, withinMs, type Batcher } from '@cupel/kit/concurrency'
import { LogUnavailableError } from '../port.js'
import type { PlacedRecord, WrittenRecords } from './write-records.js'

/** A write holds at most this much; a larger record goes by itself. */
const WRITE_BYTES = 1024 * 1024
const WRITE_RECORDS = 2_000
/** A write without an acknowledgement by then counts as failed, although it may have happened. Longer than the server's own limit. */
const WRITE_DEADLINE_MS = 12_000

export interface QueuedRecord extends PlacedRecord {
  readonly call: AppendCall
  readonly bytes: number
}

/** The call of `append` that a record belongs to. */
export interface AppendCall {
  readonly queuedAt: number
  hasFailed: boolean
}

export interface AppendQueues {
  /** Resolves to the record's offset. */
  add(topic: string, record: QueuedRecord): Promise<number>
  /** Rejects further records; resolves when none is queued or in flight. */
  close(): Promise<void>
}

/** `written` is called directly after `write` resolves, before any record resolves. */
export function createAppendQueues(
  write: (records: readonly QueuedRecord[], topic: string) => Promise<WrittenRecords>,
  written: (records: readonly QueuedRecord[], write: WrittenRecords) => void,
): AppendQueues {
  const queues = new Map<string, Batcher<QueuedRecord, number>>()

  function queueOf(topic: string): Batcher<QueuedRecord, number> {
    let queue = queues.get(topic)
    if (queue === undefined) {
      queue = createBatcher({
        run: (records) => writeAll(topic, records),
        maxBatchItems: WRITE_RECORDS,
        maxBatchWeight: WRITE_BYTES,
        weightOf: (record) => record.bytes,
      })
      queues.set(topic, queue)
    }
    return queue
  }

  /** Skips records of a failed call, so that no later part of it is written by itself. */
  async function writeAll(
    topic: string,
    records: readonly QueuedRecord[],
  ): Promise<(number | Promise<number>)[]> {
    const lateMs = performance.now() - WRITE_DEADLINE_MS
    for (const { call } of records) if (call.queuedAt < lateMs) call.hasFailed = true
    const live = records.filter(({ call }) => !call.hasFailed)
    const offsets = live.length === 0 ? [] : await writeInTime(topic, live)
    let next = 0
    return live.length === records.length
      ? offsets
      : records.map(({ call }) => (call.hasFailed ? Promise.reject(notAccepted()) : offsets[next++]!))
  }

  async function writeInTime(topic: string, records: readonly QueuedRecord[]): Promise<number[]> {
    try {
      const done = await withinMs(WRITE_DEADLINE_MS, write(records, topic))
      if (done === LATE) throw new LogUnavailableError('The log did not acknowledge a write in time')
      written(records, done)
      return offsetsOf(records, done.firstOffsets)
    } catch (error) {
      for (const { call } of records) call.hasFailed = true
      throw error
    }
  }

  return {
    add: (topic, record) => queueOf(topic).add(record),
    close: async () => void (await Promise.all([...queues.values()].map((queue) => queue.close()))),
  }
}

const notAccepted = (): LogUnavailableError =>
  new LogUnavailableError('The log did not accept the record in time')

function offsetsOf(records: readonly QueuedRecord[], firstOffsets: ReadonlyMap<number, number>): number[] {
  const next = new Map(firstOffsets)
  return records.map(({ partitionId }) => {
    const offset = next.get(partitionId)!
    next.set(partitionId, offset + 1)
    return offset
  })
}
