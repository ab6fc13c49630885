/** Appends records: queues each call for its topic, and passes committed records to the readers in this process. */
import { failpoint, type FailpointName } from '@cupel/kit/failpoints'
import type { Database } from '@cupel/postgres'
import type { AppendMetrics } from '../append-metrics.js'
import { keyPartition } from '../key-partition.js'
import {
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type LogRecord,
  type NewRecord,
  type Position,
} from '../port.js'
import { createAppendQueues, type AppendCall, type AppendQueues, type QueuedRecord } from './append-queues.js'
import type { FeedHub } from './partition-feed.js'
import type { PartitionAddress, TopicDirectory, TopicPartitions } from './topic-directory.js'
import { unavailable } from './unavailable.js'
import { writeRecords, type WrittenRecords } from './write-records.js'

export interface AppenderDependencies {
  readonly database: Database
  readonly directory: TopicDirectory
  readonly hub: FeedHub
  readonly metrics: AppendMetrics
}

export interface Appender {
  append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]>
  /** Resolves when every call so far is acknowledged or rejected. */
  close(): Promise<void>
}

export function createAppender(dependencies: AppenderDependencies): Appender {
  return new QueueingAppender(dependencies)
}

class QueueingAppender implements Appender {
  private readonly directory: TopicDirectory
  private readonly hub: FeedHub
  private readonly metrics: AppendMetrics
  private readonly queues: AppendQueues
  /** Partitions appended to so far, by id. */
  private readonly addresses = new Map<number, PartitionAddress>()
  /** Set while calls wait for the directory; later calls queue behind them, so that calls keep their order. */
  private placing: Promise<unknown> | null = null

  constructor({ database, directory, hub, metrics }: AppenderDependencies) {
    this.directory = directory
    this.hub = hub
    this.metrics = metrics
    this.queues = createAppendQueues(
      (records, topic) => {
        metrics.requestRecords.observe(records.length, { producer: topic })
        return writeRecords(database, records).catch((error: unknown) => unavailable(error))
      },
      (records, written) => this.handOver(records, written),
    )
  }

  async append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]> {
    failpoint('before', at)
    const sizes = records.map(recordBytes)
    if (records.length === 0) return []
    const producer = records[0]!.topic
    const topics = this.placing === null ? this.knownTopics(records) : null
    const startedAt = performance.now()
    const { placed, offsets } =
      topics === null ? await this.sendInTurn(records, sizes) : this.send(records, sizes, topics)
    try {
      const acknowledged = await offsets
      this.metrics.seconds.observe((performance.now() - startedAt) / 1_000, { producer })
      failpoint('after', at)
      return placed.map(({ topic, partition }, index) => ({ topic, partition, offset: acknowledged[index]! }))
    } catch (error) {
      this.metrics.failures.inc({ producer, error: error instanceof Error ? error.name : 'unknown' })
      throw error
    }
  }

  async close(): Promise<void> {
    await this.placing
    await this.queues.close()
  }

  private sendInTurn(records: readonly NewRecord[], sizes: readonly number[]): Promise<Sent> {
    const sent = (this.placing ?? Promise.resolve()).then(async () => {
      for (const { topic } of records) await this.directory.partitions(topic)
      return this.send(records, sizes, this.knownTopics(records)!)
    })
    const settled: Promise<unknown> = sent
      .catch(() => undefined)
      .then(() => {
        if (this.placing === settled) this.placing = null
      })
    this.placing = settled
    return sent
  }

  /** The offsets are a promise inside an object, so that an await of the object does not wait for them. */
  private send(
    records: readonly NewRecord[],
    sizes: readonly number[],
    topics: Map<string, TopicPartitions>,
  ): Sent {
    const placed = records.map((record) => place(record, topics.get(record.topic)!))
    const call: AppendCall = { queuedAt: performance.now(), hasFailed: false }
    const offsets = Promise.all(
      records.map(({ key, value, headers }, index) => {
        const address = placed[index]!
        this.addresses.set(address.id, address)
        const bytes = sizes[index]!
        return this.queues.add(address.topic, { partitionId: address.id, key, value, headers, call, bytes })
      }),
    )
    return { placed, offsets }
  }

  private knownTopics(records: readonly NewRecord[]): Map<string, TopicPartitions> | null {
    const topics = new Map<string, TopicPartitions>()
    for (const { topic } of records) {
      if (topics.has(topic)) continue
      const partitions = this.directory.knownPartitions(topic)
      if (partitions === undefined) return null
      topics.set(topic, partitions)
    }
    return topics
  }

  /** Passes the committed records to readers in this process, so that they need not query them. */
  private handOver(records: readonly QueuedRecord[], { firstOffsets, timestampMs }: WrittenRecords): void {
    for (const [partitionId, firstOffset] of firstOffsets) {
      if (!this.hub.isFollowed(partitionId)) continue
      const { topic, partition } = this.addresses.get(partitionId)!
      const fresh: LogRecord[] = []
      for (const { partitionId: id, key, value, headers } of records) {
        if (id === partitionId)
          fresh.push({
            topic,
            partition,
            offset: firstOffset + fresh.length,
            key,
            value,
            headers,
            timestampMs,
          })
      }
      this.hub.push(partitionId, fresh)
    }
  }
}

interface Sent {
  readonly placed: readonly PartitionAddress[]
  readonly offsets: Promise<readonly number[]>
}

function place({ topic, partition, key }: NewRecord, partitions: TopicPartitions): PartitionAddress {
  const address = partitions[partition ?? keyPartition(key, partitions.length)]
  if (address === undefined) throw new RangeError(`Topic ${topic} has no partition ${partition}`)
  return address
}

/** Size as the limit counts it: key, value and headers. Throws if the record can never be written. */
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
