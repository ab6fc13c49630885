/** The log on Apache Kafka. */
import {
  noMetrics,
  silentLogger,
  topicSpecs,
  type Logger,
  type Metrics,
  type TopicSpec,
} from '@cupel/contracts'
import { failpoint, type FailpointName } from '@cupel/failpoints'
import { GENESIS_TOPIC, genesisRecord } from '../genesis.js'
import { keyPartition } from '../key-partition.js'
import {
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type EventLog,
  type LogIdentity,
  type LogStoppedError,
  type NewRecord,
  type Position,
  type Subscription,
  type Tail,
} from '../port.js'
import { openConnection } from './connection.js'
import type { KafkaConnectionOptions, SaslCredentials } from './kafkajs.js'
import { logPositions } from './log-position.js'
import { openProducerLane, type ProducerLane } from './producer-lane.js'
import { readRange } from './range-reader.js'
import { openSubscription } from './subscription.js'
import { openTail } from './tail.js'
import { checkProductionSettings, createTopics } from './topics.js'

export interface KafkaLogOptions {
  /** `host:port` of any brokers of the cluster; several as an array or parted by commas. */
  readonly brokers: readonly string[] | string
  /** Shown in the broker's logs and quotas, for example `cupel-scorer`. */
  readonly clientId: string
  /** Separates installations on one cluster: topics and groups begin with it. */
  readonly topicPrefix?: string
  readonly logger?: Logger
  readonly metrics?: Metrics
  readonly ssl?: KafkaConnectionOptions['ssl']
  readonly sasl?: SaslCredentials
  /** Of topics created here. By default as many as there are brokers, three at most. */
  readonly replicationFactor?: number
  /** Something hangs that nothing here can mend: the process should end and be started again. */
  readonly onFatal?: (error: LogStoppedError) => void
}

/** Seconds from append to acknowledgement. */
const APPEND_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const REQUEST_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000]

/** Opens nothing by itself: connections are made when they are first needed. */
export function openKafkaLog(options: KafkaLogOptions): EventLog {
  const logger = options.logger ?? silentLogger
  const metrics = options.metrics ?? noMetrics
  const topicPrefix = options.topicPrefix ?? ''
  const connection: KafkaConnectionOptions = {
    brokers: (typeof options.brokers === 'string' ? options.brokers.split(',') : options.brokers).map(
      (each) => each.trim(),
    ),
    clientId: options.clientId,
    ...(options.ssl === undefined ? {} : { ssl: options.ssl }),
    ...(options.sasl === undefined ? {} : { sasl: options.sasl }),
    logger,
  }
  const lookups = openConnection(connection)
  const positions = logPositions(lookups, topicPrefix)
  const laneOfTopic = new Map(topicSpecs.map((spec) => [spec.name, spec.producer]))
  const partitionCounts = new Map<string, number>()
  const open = new Set<{ stop(): Promise<void> }>()
  let closing: Promise<void> | null = null

  const appendSeconds = metrics.histogram(
    'log_append_seconds',
    'Time from an append to its acknowledgement.',
    APPEND_BUCKETS,
    ['lane'],
  )
  const requestRecords = metrics.histogram(
    'log_produce_request_records',
    'Records that travelled in one produce request.',
    REQUEST_BUCKETS,
    ['lane'],
  )
  const failures = metrics.counter('log_append_failures_total', 'Appends that were rejected.', [
    'lane',
    'error',
  ])
  const lanes = { fast: openLane('fast'), ordered: openLane('ordered') }

  function openLane(lane: 'fast' | 'ordered'): ProducerLane {
    return openProducerLane({
      connection,
      lane,
      onStuck: (error) => options.onFatal?.(error),
      onRequest: (records) => requestRecords.observe(records, { lane }),
      onFailure: (error) => failures.inc({ lane, error: error.name }),
    })
  }

  const wireTopic = (topic: string): string => topicPrefix + topic
  const topicOf = (wire: string): string => wire.slice(topicPrefix.length)

  const log: EventLog = {
    kind: 'kafka',

    async ensureTopics(specs) {
      const genesis: TopicSpec = {
        name: GENESIS_TOPIC,
        partitions: 1,
        producer: 'ordered',
        config: { 'cleanup.policy': 'delete', 'retention.ms': '-1' },
      }
      for (const spec of specs) laneOfTopic.set(spec.name, spec.producer)
      await createTopics(connection, {
        specs: [genesis, ...specs],
        topicPrefix,
        replicationFactor: options.replicationFactor,
      })
      // Where two processes write one each, the first counts.
      if ((await positions.findIdentity()) === null) await append('log.genesis', [genesisRecord()])
      const wireTopics = [genesis, ...specs].map((spec) => wireTopic(spec.name))
      for (const sentence of await checkProductionSettings(connection, wireTopics)) logger.warn({}, sentence)
    },

    identity: (): Promise<LogIdentity> => positions.identity(),
    partitionCount,
    async partitionFor(topic, key) {
      return keyPartition(key, await partitionCount(topic))
    },
    append,
    endOffset: (topic, partition) => positions.endOffset(wireTopic(topic), partition),
    startOffset: (topic, partition) => positions.startOffset(wireTopic(topic), partition),
    read: (range) => readRange({ ...range, wireTopic: wireTopic(range.topic) }, { connection, positions }),

    async tail(tailOptions) {
      const tail = await openTail(tailOptions, {
        connection,
        positions,
        wireTopic: wireTopic(tailOptions.topic),
      })
      return keep(tail)
    },

    async subscribe(subscribeOptions) {
      const { subscription, joined } = openSubscription(subscribeOptions, {
        connection,
        positions,
        wireGroup: topicPrefix + subscribeOptions.group,
        wireTopic,
        topicOf,
      })
      // Kept before it has joined: closing the log must end it also while no broker can be reached.
      const kept = keep(subscription)
      await joined
      return kept
    },

    close: () => (closing ??= close()),
  }
  return log

  async function partitionCount(topic: string): Promise<number> {
    return await positions.partitionCount(wireTopic(topic))
  }

  async function append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]> {
    if (records.length === 0) return []
    for (const record of records) requireSize(record)
    for (const { topic, partition } of records) {
      if (partition === undefined && !partitionCounts.has(topic))
        partitionCounts.set(topic, await partitionCount(topic))
    }
    const places = records.map((record) => ({
      wireTopic: wireTopic(record.topic),
      partition: record.partition ?? keyPartition(record.key, partitionCounts.get(record.topic)!),
      record,
    }))
    const startedAt = performance.now()
    failpoint('before', at)
    const offsets = await send(places)
    failpoint('after', at)
    return places.map(({ record, partition }, index) => ({
      topic: record.topic,
      partition,
      offset: offsets[index]!,
    }))

    async function send(all: typeof places): Promise<readonly number[]> {
      const lane = laneOfTopic.get(all[0]!.record.topic) ?? 'ordered'
      const oneLane = all.every((place) => (laneOfTopic.get(place.record.topic) ?? 'ordered') === lane)
      // A call over both lanes is rare; the ordered one takes all of it.
      const chosen = oneLane ? lane : 'ordered'
      const result = await lanes[chosen].append(all)
      appendSeconds.observe((performance.now() - startedAt) / 1000, { lane: chosen })
      return result
    }
  }

  function keep<T extends Tail | Subscription>(reader: T): T {
    const kept: T = {
      ...reader,
      async stop() {
        open.delete(kept)
        await reader.stop()
      },
    }
    open.add(kept)
    return kept
  }

  async function close(): Promise<void> {
    await Promise.all([...open].map((each) => each.stop()))
    await Promise.all([lanes.fast.close(), lanes.ordered.close()])
    await lookups.close()
  }
}

function requireSize(record: NewRecord): void {
  let bytes = Buffer.byteLength(record.key) + record.value.length
  for (const name in record.headers)
    bytes += Buffer.byteLength(name) + Buffer.byteLength(record.headers[name]!)
  if (bytes <= MAX_RECORD_BYTES) return
  throw new RecordTooLargeError(
    `A record for ${record.topic} has ${bytes} bytes, and ${MAX_RECORD_BYTES} is the most the log accepts.`,
  )
}
