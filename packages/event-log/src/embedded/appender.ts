/** Appending: what a call goes through from the caller to the lane of its topic, and from the commit to the readers here. */
import type { Metrics } from '@cupel/contracts'
import { failpoint, type FailpointName } from '@cupel/failpoints'
import type { Database } from '@cupel/postgres'
import { keyPartition } from '../key-partition.js'
import {
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type LogRecord,
  type NewRecord,
  type Position,
} from '../port.js'
import { createAppendLanes, type AppendCall, type QueuedRecord } from './append-lanes.js'
import { appendMetrics } from './append-metrics.js'
import type { FeedHub } from './partition-feed.js'
import type { PartitionAddress, TopicDirectory, TopicPartitions } from './topic-directory.js'
import { unavailable } from './unavailable.js'
import { writeRecords } from './write-records.js'

export interface AppenderDependencies {
  readonly database: Database
  readonly directory: TopicDirectory
  readonly hub: FeedHub
  readonly metrics: Metrics
}

export interface Appender {
  append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]>
  /** Resolves when every call so far is acknowledged or failed. */
  idle(): Promise<void>
}

export function createAppender({ database, directory, hub, metrics }: AppenderDependencies): Appender {
  const measured = appendMetrics(metrics)
  const lanes = createAppendLanes((records, topic) => {
    measured.written(topic, records.length)
    return writeRecords(database, records).catch((error: unknown) => unavailable(error))
  }, handOver)

  async function append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]> {
    failpoint('before', at)
    const sizes = records.map(recordBytes)
    if (records.length === 0) return []
    const topics = placing === null ? knownTopics(records) : null
    const appendedAt = performance.now()
    const { placed, offsets } =
      topics === null ? await sendInTurn(records, sizes) : send(records, sizes, topics)
    const acknowledged = await offsets.catch((error: unknown) => measured.failed(records[0]!.topic, error))
    measured.acknowledged(records[0]!.topic, performance.now() - appendedAt)
    failpoint('after', at)
    return placed.map(({ topic, partition }, index) => ({ topic, partition, offset: acknowledged[index]! }))
  }

  /** Set while calls wait for the directory; later ones queue behind them, so that calls keep the order they were made in. */
  let placing: Promise<unknown> | null = null

  function sendInTurn(records: readonly NewRecord[], sizes: readonly number[]) {
    const sent = (placing ?? Promise.resolve()).then(async () => {
      for (const { topic } of records) await directory.partitions(topic)
      return send(records, sizes, knownTopics(records)!)
    })
    const settled: Promise<unknown> = sent
      .catch(() => undefined)
      .then(() => {
        if (placing === settled) placing = null
      })
    placing = settled
    return sent
  }

  function send(
    records: readonly NewRecord[],
    sizes: readonly number[],
    topics: Map<string, TopicPartitions>,
  ) {
    const placed = records.map((record) => place(record, topics.get(record.topic)!))
    // Not awaited here: the next call may be placed while this one is on its way.
    return { placed, offsets: enqueue(records, placed, sizes) }
  }

  function knownTopics(records: readonly NewRecord[]): Map<string, TopicPartitions> | null {
    const topics = new Map<string, TopicPartitions>()
    for (const { topic } of records) {
      if (topics.has(topic)) continue
      const partitions = directory.knownPartitions(topic)
      if (partitions === undefined) return null
      topics.set(topic, partitions)
    }
    return topics
  }

  function enqueue(
    records: readonly NewRecord[],
    placed: readonly PartitionAddress[],
    sizes: readonly number[],
  ): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      const offsets = new Array<number>(records.length)
      const call: AppendCall = {
        offsets,
        remaining: records.length,
        failed: false,
        queuedAt: performance.now(),
        resolve: () => resolve(offsets),
        reject,
      }
      const byTopic = new Map<string, QueuedRecord[]>()
      records.forEach(({ key, value, headers }, index) => {
        const { topic, id } = placed[index]!
        const queued = { partitionId: id, key, value, headers, call, index, bytes: sizes[index]! }
        const others = byTopic.get(topic)
        if (others === undefined) byTopic.set(topic, [queued])
        else others.push(queued)
        addresses.set(id, placed[index]!)
      })
      for (const [topic, queued] of byTopic) lanes.add(topic, queued)
    })
  }

  /** Partitions appended to so far, by id. */
  const addresses = new Map<number, PartitionAddress>()

  /** Gives readers in this process what was just committed, without asking the database for it again. */
  function handOver(records: readonly QueuedRecord[], firstOffsets: ReadonlyMap<number, number>): void {
    for (const [partitionId, firstOffset] of firstOffsets) {
      if (!hub.isFollowed(partitionId)) continue
      const { topic, partition } = addresses.get(partitionId)!
      const fresh: LogRecord[] = []
      for (const { partitionId: id, key, value, headers } of records) {
        if (id === partitionId)
          fresh.push({ topic, partition, offset: firstOffset + fresh.length, key, value, headers })
      }
      hub.push(partitionId, fresh)
    }
  }

  return {
    append,
    async idle() {
      await placing
      await lanes.idle()
    },
  }
}

function place({ topic, partition, key }: NewRecord, partitions: TopicPartitions): PartitionAddress {
  const address = partitions[partition ?? keyPartition(key, partitions.length)]
  if (address === undefined) throw new RangeError(`Topic ${topic} has no partition ${partition}`)
  return address
}

/** Size as the limit counts it: key, value and headers. Throws where the record can never be written. */
function recordBytes({ topic, key, value, headers }: NewRecord): number {
  let bytes = Buffer.byteLength(key) + value.length
  for (const name in headers) bytes += name.length + Buffer.byteLength(headers[name]!)
  if (bytes > MAX_RECORD_BYTES) {
    throw new RecordTooLargeError(
      `A record for ${topic} has ${bytes} bytes; the log accepts ${MAX_RECORD_BYTES}`,
    )
  }
  if (key.includes('\0')) throw new TypeError('A key holds a NUL character, which the log cannot store')
  return bytes
}
