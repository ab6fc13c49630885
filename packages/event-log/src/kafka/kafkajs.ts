/**
 * Cluster, connections and membership of kafkajs 2.2.4. The log uses its connections, authentication, metadata and group protocol, but not
 * its producer and consumer loops (docs/adr/0020). These parts are not in its public types, so they are typed here.
 */
import type { Logger } from '@cupel/contracts'
import { Kafka, PartitionAssigners, type Admin } from 'kafkajs'
import brokerPart from 'kafkajs/src/broker/index.js'
import brokerPoolPart from 'kafkajs/src/cluster/brokerPool.js'
import clusterPart from 'kafkajs/src/cluster/index.js'
import membershipPart from 'kafkajs/src/consumer/consumerGroup.js'
import emitterPart from 'kafkajs/src/instrumentation/emitter.js'
import loggersPart from 'kafkajs/src/loggers/index.js'
import connectionPart from 'kafkajs/src/network/connection.js'
import requestQueuePart from 'kafkajs/src/network/requestQueue/index.js'
import type { RequestMeter } from './request-meter.js'
import { saslOf, socketsOf, type KafkaSecurity } from './security.js'

export interface KafkaConnectionOptions extends KafkaSecurity {
  /** `host:port`, any of the cluster's brokers. */
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger: Logger
  readonly meter?: RequestMeter
}

export interface PartitionMetadata {
  readonly partitionId: number
  readonly leader: number
  readonly replicas: readonly number[]
  readonly isr: readonly number[]
}

export interface ClusterMetadata {
  readonly clusterId: string
  /** Kafka names any broker here; the name is the protocol's. */
  readonly controllerId: number
  readonly brokers: readonly {
    readonly nodeId: number
    readonly host: string
    readonly port: number
    readonly rack: string | null
  }[]
  readonly topicMetadata: readonly {
    readonly topic: string
    /** Error code of the protocol; 0 if the topic is known. */
    readonly error: number
    /** Null if the brokers give topics no ids. */
    readonly topicId: string | null
    readonly partitionMetadata: readonly PartitionMetadata[]
  }[]
}

/** A request and the decoder of its answer. */
export interface WireRequest<T> {
  readonly request: {
    readonly apiKey: number
    readonly apiVersion: number
    readonly apiName: string
    readonly encode: () => Promise<unknown>
  }
  readonly response: {
    readonly decode: (
      payload: Buffer,
    ) => Promise<{ readonly answer: T; readonly clientSideThrottleTime: number }>
    readonly parse: (decoded: { readonly answer: T }) => Promise<T>
  }
  readonly requestTimeout: number
}

export interface Broker {
  readonly nodeId: number
  /** `host:port` */
  readonly brokerAddress: string
  /** The broker's known versions of each kind of request; null before it has stated them. */
  readonly versions: Readonly<Record<number, { readonly maxVersion: number }>> | null
  readonly connectionPool: {
    send<T>(request: WireRequest<T>): Promise<T>
    readonly pool: readonly PooledConnection[]
  }
  disconnect(): Promise<void>
  initProducerId(options: {
    transactionTimeout: number
  }): Promise<{ producerId: string | number; producerEpoch: number }>
  metadata(topics: readonly string[]): Promise<ClusterMetadata>
}

interface PooledConnection {
  readonly requestQueue: { readonly inflight: ReadonlyMap<unknown, RequestUnderWay> }
  isConnected(): boolean
  rejectRequests(error: Error): void
}

export interface Cluster {
  readonly targetTopics: ReadonlySet<string>
  readonly brokerPool: {
    readonly metadata: ClusterMetadata | null
    readonly brokers: Record<string, Broker>
    seedBroker: Broker | undefined
  }
  connect(): Promise<void>
  disconnect(): Promise<void>
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>
  refreshMetadata(): Promise<void>
  refreshMetadataIfNecessary(): Promise<void>
  findBroker(options: { nodeId: number | string }): Promise<Broker>
  findControllerBroker(): Promise<Broker>
}

export interface GroupCoordinator {
  offsetCommit(commit: {
    readonly groupId: string
    readonly groupGenerationId: number
    readonly memberId: string
    readonly topics: readonly {
      readonly topic: string
      readonly partitions: readonly { readonly partition: number; readonly offset: string }[]
    }[]
  }): Promise<unknown>
}

/** Membership of one consumer group: join, receive the assignment, stay by heartbeats, leave. */
export interface GroupMembership {
  memberId: string | null
  readonly generationId: number | null
  /** Null before the first join. */
  readonly coordinator: GroupCoordinator | null
  joinAndSync(): Promise<void>
  heartbeat(options: { interval: number }): Promise<void>
  leave(): Promise<void>
  assigned(): readonly { readonly topic: string; readonly partitions: readonly number[] }[]
}

const CONNECT_TIMEOUT_MS = 3_000
/** The limit of a plain request. */
export const REQUEST_TIMEOUT_MS = 5_000
const AUTHENTICATION_TIMEOUT_MS = 5_000
const METADATA_MAX_AGE_MS = 300_000
/** Few and quick: the callers retry over a new connection, and retries of kafkajs would only delay that. */
const RETRY = { initialRetryTime: 50, maxRetryTime: 500, retries: 2 }
const READ_UNCOMMITTED = 0

/** The group is rebalanced when a member sent no heartbeat for this long: a killed worker's work soon continues elsewhere. */
export const SESSION_TIMEOUT_MS = 6_000
export const HEARTBEAT_INTERVAL_MS = 1_000
/** Longest time that a rebalance waits for members with unfinished work. */
export const REBALANCE_TIMEOUT_MS = 10_000

interface KafkaJsLogger {
  namespace(name: string): KafkaJsLogger
}
type ClusterClass = new (options: Record<string, unknown>) => Cluster
type MembershipClass = new (options: Record<string, unknown>) => GroupMembership
const ClusterImplementation = clusterPart as ClusterClass
const MembershipImplementation = membershipPart as MembershipClass
const EventEmitter = emitterPart as new () => object
const { createLogger } = loggersPart as {
  createLogger(options: { level: number; logCreator: () => (entry: KafkaJsLogEntry) => void }): KafkaJsLogger
}
const RequestQueue = requestQueuePart as { prototype: PatchedQueue }

interface PatchedQueue {
  pending: readonly unknown[]
  throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  readonly enforceRequestTimeout: boolean
  readonly inflight: ReadonlyMap<unknown, RequestUnderWay>
  requestTimeoutIntervalId: NodeJS.Timeout | undefined
  checkPendingRequests(): void
  scheduleCheckPendingRequests(): void
  scheduleRequestTimeoutCheck(): void
  readonly isConnected: () => boolean
  destroy(): void
}

interface RequestUnderWay {
  readonly sentAt: number
  readonly requestTimeout: number
  timeoutRequest(): void
}

/**
 * kafkajs 2.2.4 repeats this check for ever, with a negative delay, on every idle connection: about a thousand timer
 * callbacks a second each. The check is needed only while requests wait. Source: kafkajs issue 1556, pull request 1667.
 */
const PENDING_CHECK_MS = 10
RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleOnlyWhilePending(
  this: PatchedQueue,
): void {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return
  const waitMs = this.throttledUntil - Date.now()
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null
      this.checkPendingRequests()
    },
    waitMs > 0 ? waitMs : PENDING_CHECK_MS,
  )
}

/**
 * kafkajs checks each connection ten times a second for requests beyond their limit, and a service has five to ten
 * connections. The limits are seconds, so one check a second is enough (docs/performance.md).
 */
export const REQUEST_TIMEOUT_CHECK_MS = 1_000
RequestQueue.prototype.scheduleRequestTimeoutCheck = function lookOnceASecond(this: PatchedQueue): void {
  if (!this.enforceRequestTimeout) return
  this.destroy()
  this.requestTimeoutIntervalId = setInterval(() => {
    const now = Date.now()
    // A broker that throttles reads the next request late: that time does not count.
    for (const request of this.inflight.values())
      if (now - Math.max(request.sentAt, this.throttledUntil) > request.requestTimeout)
        request.timeoutRequest()
    if (!this.isConnected()) this.destroy()
  }, REQUEST_TIMEOUT_CHECK_MS)
}

interface KafkaJsLogEntry {
  readonly namespace: string
  readonly label: string
  readonly log: {
    readonly message: string
    readonly error?: unknown
    readonly broker?: string
  }
}

const WARNINGS_AND_ERRORS = 2

/** At debug level: most errors that kafkajs logs are attempts it repeats, and the callers report final failures. */
function bridge(logger: Logger): () => (entry: KafkaJsLogEntry) => void {
  return () =>
    ({ namespace, log }) => {
      const { message, error, broker } = log
      logger.debug({ kafkajs: namespace, error, broker }, message)
    }
}

export function createCluster(options: KafkaConnectionOptions): Cluster {
  return new ClusterImplementation({
    logger: createLogger({ level: WARNINGS_AND_ERRORS, logCreator: bridge(options.logger) }),
    socketFactory: socketsOf(options),
    brokers: [...options.brokers],
    ...saslOf(options),
    clientId: options.clientId,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    authenticationTimeout: AUTHENTICATION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    maxInFlightRequests: null,
    isolationLevel: READ_UNCOMMITTED,
    retry: RETRY,
    instrumentationEmitter: options.meter === undefined ? null : eventsFor(options.meter),
  })
}

/** The only cluster event in use is the end of a request. Source: kafkajs 2.2.4, network/requestQueue/socketRequest.js. */
const REQUEST_ENDED = 'network.request'

interface EndedRequest {
  readonly apiName: string
  readonly size: number
}

function eventsFor(meter: RequestMeter): { emit(event: string, request: EndedRequest): void } {
  return {
    emit(event, request) {
      if (event === REQUEST_ENDED) meter.answered(request.apiName, request.size)
    },
  }
}

/**
 * Ends every connection of a cluster and rejects its pending requests. kafkajs itself waits for the answers without checking their limits,
 * and does not notice that the connection broke meanwhile: it could wait for ever, and its callers too.
 */
export async function disconnect(cluster: Cluster): Promise<void> {
  const { brokers, seedBroker } = cluster.brokerPool
  for (const broker of [...Object.values(brokers), ...(seedBroker === undefined ? [] : [seedBroker])])
    rejectRequests(broker)
  await cluster.disconnect()
}

/** Rejects the pending requests to one broker. */
export function rejectRequests(broker: Broker): void {
  const left = new Error('The connection to Kafka was replaced')
  for (const connection of broker.connectionPool.pool) connection.rejectRequests(left)
}

/**
 * While it reads metadata, kafkajs disconnects brokers that left the cluster and waits for their answers: a broker that hangs would block
 * every caller that needs a leader.
 */
const Connection = connectionPart as {
  prototype: PooledConnection & { disconnect(): Promise<boolean> }
}
const disconnectWhenAnswered = Connection.prototype.disconnect
Connection.prototype.disconnect = function disconnectNow(this: typeof Connection.prototype) {
  this.rejectRequests(new Error('The connection to a broker of Kafka was closed'))
  return disconnectWhenAnswered.call(this)
}

export function createMembership(
  options: KafkaConnectionOptions & {
    cluster: Cluster
    group: string
    topics: readonly string[]
    memberId: string | null
  },
): GroupMembership {
  const logger = createLogger({ level: WARNINGS_AND_ERRORS, logCreator: bridge(options.logger) })
  const assigner = PartitionAssigners.roundRobin({
    cluster: options.cluster,
    groupId: options.group,
    logger,
  } as unknown as Parameters<typeof PartitionAssigners.roundRobin>[0])
  const membership = new MembershipImplementation({
    cluster: options.cluster,
    groupId: options.group,
    topics: [...options.topics],
    topicConfigurations: Object.fromEntries(options.topics.map((topic) => [topic, { fromBeginning: true }])),
    retry: RETRY,
    logger,
    instrumentationEmitter: new EventEmitter(),
    assigners: [assigner],
    sessionTimeout: SESSION_TIMEOUT_MS,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    autoCommit: false,
    metadataMaxAge: METADATA_MAX_AGE_MS,
  })
  membership.memberId = options.memberId
  return membership
}

/** The public admin client of kafkajs: creates topics and reads their settings. */
export function createAdmin(options: KafkaConnectionOptions): Admin {
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    ...saslOf(options),
    socketFactory: socketsOf(options) as never,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: { ...RETRY, retries: 8 },
    logLevel: WARNINGS_AND_ERRORS,
    logCreator: bridge(options.logger) as never,
  }).admin()
}

interface BrokerClass {
  prototype: Broker
}
const BrokerImplementation = brokerPart as BrokerClass

/** Makes every broker of kafkajs request metadata with the given function. */
export function replaceMetadata(
  request: (topics: readonly string[], broker: Broker) => WireRequest<ClusterMetadata>,
): void {
  BrokerImplementation.prototype.metadata = function metadata(this: Broker, topics = []) {
    return this.connectionPool.send(request(topics, this))
  }
}

/** The brokers that the newest metadata names. */
export interface BrokersKnown {
  readonly brokers: Record<string, Broker>
  /** Connects to it if it is not connected. */
  findBroker(options: { nodeId: number | string }): Promise<Broker>
  /** The one that is asked for metadata. */
  findConnectedBroker(): Promise<Pick<Broker, 'metadata'>>
}

/** Connects to one of the configured brokers, which names the others. */
interface SeedPool extends BrokersKnown {
  seedBroker: Seed | undefined
  versions: unknown
  hasConnectedBrokers(): boolean
  /** In the order of a list that is shuffled once. */
  createSeedBroker(): Promise<void>
  retrier(attempt: (bail: (error: unknown) => void) => Promise<void>): Promise<void>
  connect(): Promise<void>
}
export interface Seed {
  readonly versions: unknown
  connect(): Promise<void>
  disconnect(): Promise<void>
}
export const BrokerPool = brokerPoolPart as { readonly prototype: SeedPool }

/** The partition's leader in the newest metadata; null if the topic, the partition or the leader is not known. */
export function leaderOf(metadata: ClusterMetadata | null, topic: string, partition: number): number | null {
  const partitions = metadata?.topicMetadata.find((each) => each.topic === topic)?.partitionMetadata
  const leader = partitions?.find((each) => each.partitionId === partition)?.leader
  return leader === undefined || leader < 0 ? null : leader
}
