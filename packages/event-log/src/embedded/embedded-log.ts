/**
 * The event log on Postgres, for installations that fit on one machine: the same promises as on Kafka, kept by the same
 * contract suite, with nothing to run besides the database. Several processes may append and read at once.
 */
import { noMetrics, silentLogger, type Logger, type Metrics } from '@cupel/contracts'
import { failpoint, type FailpointName } from '@cupel/failpoints'
import type { Database } from '@cupel/postgres'
import { keyPartition } from '../key-partition.js'
import {
  LogStoppedError,
  LogUnavailableError,
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type Position,
} from '../port.js'
import { createAppendLanes, type AppendCall, type QueuedRecord } from './append-lanes.js'
import { appendMetrics } from './append-metrics.js'
import { createEndLookup } from './end-offsets.js'
import { createFeedHub } from './partition-feed.js'
import { probeRecord, withoutProbes } from './probe.js'
import { readBounds, readPage, type PageLimits } from './record-pages.js'
import { startSubscription } from './subscription.js'
import { startTail } from './tail.js'
import { openTopicDirectory, type PartitionAddress, type TopicPartitions } from './topic-directory.js'
import { unavailable } from './unavailable.js'
import { writeRecords } from './write-records.js'

export interface EmbeddedLogOptions {
  /** Holds the schema `log`. Needs a connection per topic appended to at once, and two besides. Stays open on close. */
  readonly database: Database
  /** Separates installations in one database; no part of topic names as callers see them. */
  readonly topicPrefix?: string | undefined
  readonly logger?: Logger | undefined
  readonly metrics?: Metrics | undefined
}

const READ_PAGE: PageLimits = { records: 2_000, bytes: 4 * 1024 * 1024 }

export function openEmbeddedLog({
  database,
  topicPrefix = '',
  logger = silentLogger,
  metrics = noMetrics,
}: EmbeddedLogOptions): EventLog {
  const directory = openTopicDirectory(database, topicPrefix)
  const hub = createFeedHub({ database, logId: directory.logId, logger })
  const endOf = createEndLookup(database)
  const measured = appendMetrics(metrics)
  const lanes = createAppendLanes((records, topic) => {
    measured.written(topic, records.length)
    return writeRecords(database, records).catch((error: unknown) => unavailable(error))
  }, handOver)
  /** Tails and subscriptions that close() has to stop. */
  const readers = new Set<{ stop(): Promise<void> }>()
  let closed = false

  async function append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]> {
    failpoint('before', at)
    refuseClosed()
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

  async function* read(range: { topic: string; partition: number; from: number; to: number }) {
    const address = await directory.partition(range.topic, range.partition)
    const to = Math.min(range.to, await endOf(address.id).catch((error: unknown) => unavailable(error)))
    const pageFrom = (from: number): Promise<LogRecord[]> => readPage(database, address, from, to, READ_PAGE)
    let from = range.from
    let coming = from < to ? pageFrom(from) : null
    while (coming !== null) {
      const page = await coming.catch((error: unknown) => unavailable(error))
      if (page.length === 0) {
        const message = `The records of ${range.topic}/${range.partition} from ${from} on vanished while they were read.`
        throw new LogStoppedError('truncated-log', message)
      }
      from += page.length
      // The next page is on its way while this one is worked on; a reader that leaves before does not want its error.
      coming = from < to ? pageFrom(from) : null
      coming?.catch(() => undefined)
      const records = withoutProbes(page)
      if (records.length > 0) yield records
    }
  }

  function refuseClosed(): void {
    if (closed) throw new LogUnavailableError('The log was closed')
  }

  function untilStopped<T extends { stop(): Promise<void> }>(reader: T): T {
    const registered = {
      ...reader,
      stop: async () => {
        await reader.stop()
        readers.delete(registered)
      },
    }
    readers.add(registered)
    return registered
  }

  return {
    kind: 'embedded',
    ensureTopics: directory.ensure,
    identity: directory.identity,
    partitionCount: async (topic) => (await directory.partitions(topic)).length,
    partitionFor: async (topic, key) => keyPartition(key, (await directory.partitions(topic)).length),
    append,
    async endOffset(topic, partition) {
      const { id } = await directory.partition(topic, partition)
      return await endOf(id).catch((error: unknown) => unavailable(error))
    },
    async startOffset(topic, partition) {
      const address = await directory.partition(topic, partition)
      return (await readBounds(database, address).catch((error: unknown) => unavailable(error))).start
    },
    read,
    async tail(options) {
      refuseClosed()
      const address = await directory.partition(options.topic, options.partition)
      await directory.identity()
      const end = await endOf(address.id).catch((error: unknown) => unavailable(error))
      const probe = async () => (await append('probe', [probeRecord(options.topic, options.partition)]))[0]!
      return untilStopped(await startTail(address, end, options, { database, hub, logger, probe }))
    },
    async subscribe(options) {
      refuseClosed()
      const partitions = (
        await Promise.all(options.topics.map((topic) => directory.partitions(topic)))
      ).flat()
      const dependencies = {
        database,
        hub,
        identity: directory.identity,
        logger,
        group: topicPrefix + options.group,
      }
      const subscription = await startSubscription(partitions, options, dependencies).catch(
        (error: unknown) => unavailable(error),
      )
      return untilStopped(subscription)
    },
    async close() {
      await Promise.all([...readers].map((reader) => reader.stop()))
      closed = true
      await lanes.idle()
      hub.close()
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
  let bytes = Buffer.byteLength(key) + (value?.length ?? 0)
  for (const name in headers) bytes += name.length + Buffer.byteLength(headers[name]!)
  if (bytes > MAX_RECORD_BYTES) {
    throw new RecordTooLargeError(
      `A record for ${topic} has ${bytes} bytes; the log accepts ${MAX_RECORD_BYTES}`,
    )
  }
  if (key.includes('\0')) throw new TypeError('A key holds a NUL character, which the log cannot store')
  return bytes
}
