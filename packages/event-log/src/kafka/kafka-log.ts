/** The log on Apache Kafka. */
import {
  noMetrics,
  silentLogger,
  derivedTopicSpecs,
  topicSpecs,
  type Logger,
  type Metrics,
  type TopicSpec,
} from '@cupel/contracts'
import { failpoint, type FailpointName } from '@cupel/kit/failpoints'
import { appendMetrics, type AppendMetrics } from '../append-metrics.js'
import { GENESIS_TOPIC, genesisRecord } from '../genesis.js'
import { keyPartition } from '../key-partition.js'
import {
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type EventLog,
  type LogIdentity,
  type LogRecord,
  type LogStoppedError,
  type NewRecord,
  type Position,
  type SubscribeOptions,
  type Subscription,
  type Tail,
  type TailOptions,
  type TopicFault,
} from '../port.js'
import { openConnection, type Connection } from './connection.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import type { SaslCredentials } from './security.js'
import { logPositions, type LogPositions } from './log-position.js'
import type { Compression } from './pack.js'
import { openProducer, type Producer, type ProducerKind } from './producer.js'
import { requestMeters, type MeterOf } from './request-meter.js'
import { createRangeFetchers, type RangeFetchers } from './range-fetchers.js'
import { readRange } from './range-reader.js'
import { openSubscription } from './subscription.js'
import { openTail } from './tail.js'
import { createTopics, topicFaults, type TopicCreation } from './topics.js'

export interface KafkaLogOptions {
  /** `host:port` of any brokers of the cluster; several as an array or separated by commas. */
  readonly brokers: readonly string[] | string
  /** Shown in the broker's logs and quotas, for example `cupel-scorer`. */
  readonly clientId: string
  /** Separates installations on one cluster: topics and groups begin with it. */
  readonly topicPrefix?: string
  readonly logger?: Logger
  readonly metrics?: Metrics
  readonly ssl?: KafkaConnectionOptions['ssl']
  readonly sasl?: SaslCredentials
  /** Replicas of topics created here, and the minimum for existing ones. By default the number of brokers, three at most. */
  readonly replicationFactor?: number | undefined
  /** Compression of appended batches; by default gzip. Readers accept batches of every codec. */
  readonly compression?: Compression
  /** An append hangs for good: the process should end, so that its supervisor starts another one. */
  readonly onFatal?: (error: LogStoppedError) => void
}

const genesisTopic: TopicSpec = {
  name: GENESIS_TOPIC,
  partitions: 1,
  producer: 'ordered',
  config: { 'cleanup.policy': 'delete', 'retention.ms': '-1' },
}

/** Opens no connection: connections are made when they are first needed. */
export function openKafkaLog(options: KafkaLogOptions): EventLog {
  return new KafkaLog(options)
}

class KafkaLog implements EventLog {
  readonly kind = 'kafka'
  private readonly options: KafkaLogOptions
  private readonly logger: Logger
  private readonly topicPrefix: string
  private readonly connection: KafkaConnectionOptions
  private readonly lookups: Connection
  private readonly positions: LogPositions
  private readonly rangeFetchers: RangeFetchers
  private readonly metrics: AppendMetrics
  private readonly meterOf: MeterOf
  private readonly producers: Readonly<Record<ProducerKind, Producer>>
  private readonly producerOfTopic = new Map(
    [...topicSpecs, ...derivedTopicSpecs].map((spec) => [spec.name, spec.producer]),
  )
  private readonly partitionCounts = new Map<string, number>()
  /** Tails and subscriptions that `close` has to stop. */
  private readonly readers = new Set<{ stop(): Promise<void> }>()
  private closing: Promise<void> | null = null

  constructor(options: KafkaLogOptions) {
    this.options = options
    this.logger = options.logger ?? silentLogger
    this.topicPrefix = options.topicPrefix ?? ''
    this.connection = connectionOptions(options, this.logger)
    this.meterOf = requestMeters(options.metrics ?? noMetrics)
    this.lookups = openConnection(this.metered('look-ups'))
    this.positions = logPositions(this.lookups, this.topicPrefix)
    this.rangeFetchers = createRangeFetchers(this.metered('ranges'))
    this.metrics = appendMetrics(options.metrics ?? noMetrics)
    this.producers = { fast: this.openProducer('fast'), ordered: this.openProducer('ordered') }
  }

  async ensureTopics(
    specs: readonly TopicSpec[],
    accepts?: (fault: TopicFault) => boolean,
  ): Promise<readonly string[]> {
    for (const spec of specs) this.producerOfTopic.set(spec.name, spec.producer)
    const changes = await createTopics(this.connection, {
      ...this.creationOf(specs),
      ...(accepts === undefined ? {} : { accepts }),
    })
    // If two processes append one each, the first one counts.
    if ((await this.positions.findIdentity()) === null) await this.append('log.genesis', [genesisRecord()])
    return changes
  }

  topicFaults(specs: readonly TopicSpec[]): Promise<readonly TopicFault[]> {
    return topicFaults(this.connection, this.creationOf(specs))
  }

  private creationOf(specs: readonly TopicSpec[]): TopicCreation {
    const { replicationFactor } = this.options
    return { specs: [genesisTopic, ...specs], topicPrefix: this.topicPrefix, replicationFactor }
  }

  identity(): Promise<LogIdentity> {
    return this.positions.identity()
  }

  async partitionCount(topic: string): Promise<number> {
    return await this.positions.partitionCount(this.wireTopic(topic))
  }

  async partitionFor(topic: string, key: string): Promise<number> {
    return keyPartition(key, await this.partitionCount(topic))
  }

  async append(at: FailpointName, records: readonly NewRecord[]): Promise<readonly Position[]> {
    if (records.length === 0) return []
    for (const record of records) requireSize(record)
    for (const { topic, partition } of records) {
      if (partition === undefined && !this.partitionCounts.has(topic))
        this.partitionCounts.set(topic, await this.partitionCount(topic))
    }
    const places = records.map((record) => ({
      wireTopic: this.wireTopic(record.topic),
      partition: record.partition ?? keyPartition(record.key, this.partitionCounts.get(record.topic)!),
      record,
    }))
    const startedAt = performance.now()
    const producer = this.producerFor(records)
    failpoint('before', at)
    const offsets = await this.producers[producer].append(places)
    this.metrics.seconds.observe((performance.now() - startedAt) / 1000, { producer })
    failpoint('after', at)
    return places.map(({ record, partition }, index) => ({
      topic: record.topic,
      partition,
      offset: offsets[index]!,
    }))
  }

  endOffset(topic: string, partition: number): Promise<number> {
    return this.positions.endOffset(this.wireTopic(topic), partition)
  }

  startOffset(topic: string, partition: number): Promise<number> {
    return this.positions.startOffset(this.wireTopic(topic), partition)
  }

  read(range: Parameters<EventLog['read']>[0]): AsyncIterable<readonly LogRecord[]> {
    const { rangeFetchers: fetchers, positions } = this
    return readRange({ ...range, wireTopic: this.wireTopic(range.topic) }, { fetchers, positions })
  }

  async tail(options: TailOptions): Promise<Tail> {
    return this.keep(
      await openTail(options, {
        ...this.readerParts(`tail of ${options.topic}`),
        wireTopic: this.wireTopic(options.topic),
      }),
    )
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    const { subscription, joined } = openSubscription(options, {
      ...this.readerParts(options.group),
      wireGroup: this.topicPrefix + options.group,
      wireTopic: (topic) => this.wireTopic(topic),
      topicOf: (wireTopic) => wireTopic.slice(this.topicPrefix.length),
    })
    // Registered before it has joined: closing the log must end it even while no broker can be reached.
    const kept = this.keep(subscription)
    await joined
    return kept
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeAll())
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.readers].map((each) => each.stop()))
    await Promise.all([this.producers.fast.close(), this.producers.ordered.close()])
    await Promise.all([this.rangeFetchers.close(), this.lookups.close()])
  }

  private openProducer(kind: ProducerKind): Producer {
    return openProducer({
      connection: this.metered(`producer ${kind}`),
      kind,
      compression: this.options.compression ?? 'gzip',
      onStuck: (error) => this.options.onFatal?.(error),
      onRequest: (records) => this.metrics.requestRecords.observe(records, { producer: kind }),
      onFailure: (error) => this.metrics.failures.inc({ producer: kind, error: error.name }),
    })
  }

  /** Records of topics with different producers are rare in one call; the ordered producer then sends all of them. */
  private producerFor(records: readonly NewRecord[]): ProducerKind {
    const isFast = ({ topic }: NewRecord): boolean => this.producerOfTopic.get(topic) === 'fast'
    return records.every(isFast) ? 'fast' : 'ordered'
  }

  private readerParts(reader: string): { connection: KafkaConnectionOptions; positions: LogPositions } {
    return { connection: this.metered(reader), positions: this.positions }
  }

  private metered(reader: string): KafkaConnectionOptions {
    return { ...this.connection, meter: this.meterOf(reader) }
  }

  private wireTopic(topic: string): string {
    return this.topicPrefix + topic
  }

  private keep<T extends Tail | Subscription>(reader: T): T {
    const kept: T = {
      ...reader,
      stop: async () => {
        this.readers.delete(kept)
        await reader.stop()
      },
    }
    this.readers.add(kept)
    return kept
  }
}

/** How any client connects whose settings are those of a log. */
export function connectionOptions(
  { brokers, clientId, ssl, sasl }: KafkaLogOptions,
  logger: Logger,
): KafkaConnectionOptions {
  return {
    brokers: (typeof brokers === 'string' ? brokers.split(',') : brokers).map((each) => each.trim()),
    clientId,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    logger,
  }
}

function requireSize(record: NewRecord): void {
  let bytes = Buffer.byteLength(record.key) + record.value.length
  for (const name in record.headers)
    bytes += Buffer.byteLength(name) + Buffer.byteLength(record.headers[name]!)
  if (bytes <= MAX_RECORD_BYTES) return
  throw new RecordTooLargeError(
    `A record for ${record.topic} has ${bytes} bytes; the log accepts ${MAX_RECORD_BYTES}.`,
  )
}
