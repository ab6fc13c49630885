/**
 * The event log on Postgres, for installations on one machine: it passes the same contract suite as Kafka and needs only the database.
 * Several processes may append and read at once.
 */
import { noMetrics, silentLogger, type Logger, type Metrics } from '@cupel/contracts'
import type { FailpointName } from '@cupel/kit/failpoints'
import type { Database } from '@cupel/postgres'
import { appendMetrics } from '../append-metrics.js'
import { keyPartition } from '../key-partition.js'
import {
  LogUnavailableError,
  type EventLog,
  type NewRecord,
  type Position,
  type SubscribeOptions,
} from '../port.js'
import { createAppender } from './appender.js'
import { createEndLookup } from './end-offsets.js'
import { createHeartbeats, LEASE_MS } from './group-member.js'
import { createFeedHub } from './partition-feed.js'
import { readRange } from './read-range.js'
import { createBoundsLookup } from './partition-bounds.js'
import { startSubscription } from './subscription.js'
import { startTail } from './tail.js'
import { openTopicDirectory, type PartitionAddress, type TopicDirectory } from './topic-directory.js'
import { unavailable } from './unavailable.js'

export interface EmbeddedLogOptions {
  /** Holds the schema `log`. Needs one connection for each topic with concurrent appends, and two more. Stays open on close. */
  readonly database: Database
  /** Separates installations in one database; callers use topic names without it. */
  readonly topicPrefix?: string | undefined
  readonly logger?: Logger | undefined
  readonly metrics?: Metrics | undefined
  /** Time after which a silent member of a group has lost its partitions; 6 s by default. */
  readonly leaseMs?: number | undefined
}

export function openEmbeddedLog({
  database,
  topicPrefix = '',
  logger = silentLogger,
  metrics = noMetrics,
  leaseMs = LEASE_MS,
}: EmbeddedLogOptions): EventLog {
  const directory = openTopicDirectory(database, topicPrefix)
  const hub = createFeedHub({ database, logId: directory.logId, logger })
  const [endOf, boundsOf] = [createEndLookup(database), createBoundsLookup(database)]
  const heartbeat = createHeartbeats(database)
  const appender = createAppender({ database, directory, hub, metrics: appendMetrics(metrics) })
  const readers = keepReaders()
  let closed = false

  async function append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]> {
    refuseClosed()
    return await appender.append(at, records)
  }

  function refuseClosed(): void {
    if (closed) throw new LogUnavailableError('The log was closed')
  }

  return {
    kind: 'embedded',
    ...{ ensureTopics: directory.ensure, topicFaults: directory.faults },
    identity: directory.identity,
    partitionCount: async (topic) => (await directory.partitions(topic)).length,
    partitionFor: async (topic, key) => keyPartition(key, (await directory.partitions(topic)).length),
    append,
    async endOffset(topic, partition) {
      const { id } = await directory.partition(topic, partition)
      return await endOf(id).catch((error: unknown) => unavailable(error))
    },
    async startOffset(topic, partition) {
      const { id } = await directory.partition(topic, partition)
      return (await boundsOf(id).catch((error: unknown) => unavailable(error))).start
    },
    async *read(range) {
      const address = await directory.partition(range.topic, range.partition)
      const appended = range.asAppended === true ? hub.appended(address.id, range.from, range.to) : null
      if (appended !== null) return yield appended
      const end = await endOf(address.id).catch((error: unknown) => unavailable(error))
      yield* readRange(database, address, range.from, Math.min(range.to, end))
    },
    async tail(options) {
      refuseClosed()
      const address = await directory.partition(options.topic, options.partition)
      await directory.identity()
      const end = await endOf(address.id).catch((error: unknown) => unavailable(error))
      return readers.keep(startTail(address, end, options, { database, hub, logger }))
    },
    async subscribe(options) {
      refuseClosed()
      const subscription = startSubscription(await partitionsRead(directory, options), options, {
        ...{ database, heartbeat, hub, boundsOf, logger, leaseMs },
        identity: directory.identity,
        group: topicPrefix + options.group,
      })
      return readers.keep(await subscription.catch((error: unknown) => unavailable(error)))
    },
    async close() {
      await readers.stopAll()
      closed = true
      await appender.close()
      hub.close()
    },
  }
}

async function partitionsRead(
  directory: TopicDirectory,
  { topics, reads = () => true }: SubscribeOptions,
): Promise<readonly PartitionAddress[]> {
  const found = await Promise.all(topics.map((topic) => directory.partitions(topic)))
  return found.flat().filter((place) => reads(place))
}

/** Tails and subscriptions that `close` has to stop. */
function keepReaders() {
  const readers = new Set<{ stop(): Promise<void> }>()
  return {
    keep<T extends { stop(): Promise<void> }>(reader: T): T {
      const kept = {
        ...reader,
        stop: async () => {
          await reader.stop()
          readers.delete(kept)
        },
      }
      readers.add(kept)
      return kept
    },
    stopAll: async () => void (await Promise.all([...readers].map((reader) => reader.stop()))),
  }
}
