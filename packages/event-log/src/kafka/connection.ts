/**
 * A connection to the cluster whose parts are replaced, never repaired. After a connection error, the connection to that broker is
 * replaced; if no other broker is known, all are replaced. An error of a topic or a partition replaces nothing. kafkajs can reconnect by
 * itself, but does so with known races.
 */
import { setTimeout as pause } from 'node:timers/promises'
import './patched-metadata.js'
import './patched-seeds.js'
import './silent-brokers.js'
import {
  createCluster,
  disconnect,
  rejectRequests,
  type Broker,
  type Cluster,
  type KafkaConnectionOptions,
  type WireRequest,
} from './kafkajs.js'
import { inDoubt } from './overdue.js'
import { errorOfCode } from './protocol-errors.js'

export interface Connection {
  /** The current cluster; connects if there is none. Rejects if no broker can be reached now. */
  cluster(): Promise<Cluster>
  /** The current cluster if it is already connected. */
  current(): Cluster | null
  /** Replaces this cluster at the next use; does nothing if it was already replaced. */
  discard(cluster: Cluster): void
  /** Replaces the connection to one broker and rejects its pending requests; the others stay. */
  drop(cluster: Cluster, broker: Broker): void
  /**
   * Reads topics and leaders again, also of further topics. Callers share the request, and there is a pause between two of them. Never
   * rejects: the cluster is discarded if no broker answers.
   */
  refresh(cluster: Cluster, topics?: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Minimum time between two requests for leaders, however many partitions lack one. */
const REFRESH_PAUSE_MS = 100

/** `isBusy`: requests are sent over it all the time, so that it detects a silent broker by itself. */
export function openConnection(
  options: KafkaConnectionOptions,
  { isBusy = false }: { readonly isBusy?: boolean } = {},
): Connection {
  const connection = new ReplacedConnection(options)
  if (!isBusy) resting.add(connection)
  return connection
}

/** The connections of this process that may have no requests for long. */
const resting = new Set<ReplacedConnection>()

class ReplacedConnection implements Connection {
  private readonly options: KafkaConnectionOptions
  private connected: Cluster | null = null
  private connecting: Promise<Cluster> | null = null
  private refreshing: Promise<void> | null = null
  private refreshedAt = 0
  private isClosed = false
  /** If no topic is named, brokers return all; later requests must keep the topics of the first one. */
  private readonly wanted = new Set<string>()
  private readonly leaving = new Set<Promise<void>>()

  constructor(options: KafkaConnectionOptions) {
    this.options = options
  }

  current(): Cluster | null {
    return this.connected
  }

  cluster(): Promise<Cluster> {
    if (this.isClosed) return Promise.reject(new Error('The connection to Kafka was closed'))
    if (this.connected !== null) return Promise.resolve(this.connected)
    this.connecting ??= this.connect().finally(() => (this.connecting = null))
    return this.connecting
  }

  discard(cluster: Cluster): void {
    if (cluster !== this.connected) return
    this.connected = null
    this.leave(disconnect(cluster))
  }

  drop(cluster: Cluster, broker: Broker): void {
    const { brokers, seedBroker } = cluster.brokerPool
    if (cluster !== this.connected || brokers[broker.nodeId] !== broker) return
    const others = Object.values(brokers).filter((each) => each !== broker)
    if (others.length === 0) return this.discard(cluster)
    // The next metadata names the broker again, and it gets a new connection.
    delete brokers[broker.nodeId]
    if (seedBroker === broker) cluster.brokerPool.seedBroker = others[0]
    rejectRequests(broker)
    this.leave(broker.disconnect())
    void this.refresh(cluster)
  }

  /** Another connection of this process queried the broker at this address, and got no answer. */
  suspect(address: string): void {
    const cluster = this.connected
    if (cluster === null) return
    for (const broker of Object.values(cluster.brokerPool.brokers))
      if (broker.brokerAddress === address && isIdle(broker)) this.drop(cluster, broker)
  }

  refresh(cluster: Cluster, topics: readonly string[] = []): Promise<void> {
    for (const topic of topics) this.wanted.add(topic)
    this.refreshing ??= this.askLeaders(cluster).finally(() => (this.refreshing = null))
    return this.refreshing
  }

  async close(): Promise<void> {
    this.isClosed = true
    resting.delete(this)
    await this.connecting?.catch(() => undefined)
    if (this.connected !== null) this.leave(disconnect(this.connected))
    this.connected = null
    await Promise.all(this.leaving)
  }

  private async connect(): Promise<Cluster> {
    const cluster = createCluster(this.options)
    try {
      await cluster.connect()
      await cluster.refreshMetadata()
    } catch (error) {
      this.leave(disconnect(cluster))
      throw error
    }
    if (this.isClosed) {
      this.leave(disconnect(cluster))
      throw new Error('The connection to Kafka was closed while it was made')
    }
    this.connected = cluster
    return cluster
  }

  private async askLeaders(cluster: Cluster): Promise<void> {
    const waitMs = this.refreshedAt + REFRESH_PAUSE_MS - Date.now()
    if (waitMs > 0) await pause(waitMs)
    if (cluster !== this.connected) return
    this.refreshedAt = Date.now()
    try {
      const topics = [...this.wanted]
      if (topics.every((topic) => cluster.targetTopics.has(topic))) await cluster.refreshMetadata()
      else await cluster.addMultipleTargetTopics(topics)
    } catch (error) {
      this.options.logger.debug({ error: String(error) }, 'No Kafka broker told the leaders')
      this.discard(cluster)
    }
  }

  /** Errors of closing are ignored: a broken connection seldom closes cleanly. */
  private leave(ending: Promise<void>): void {
    const left = ending
      .catch((error: unknown) =>
        this.options.logger.debug({ error: String(error) }, 'A Kafka connection did not close cleanly'),
      )
      .finally(() => this.leaving.delete(left))
    this.leaving.add(left)
  }
}

/**
 * Sends a request to one broker. A broken connection to it is replaced, and those to the others stay. If the broker is silent, the idle
 * connections of this process to it are replaced too: each of them would wait as long for an answer, one after the other. While an answer
 * is overdue, the leaders are read again.
 */
export async function sendTo<T>(
  connection: Connection,
  { cluster, nodeId }: { readonly cluster: Cluster; readonly nodeId: number },
  request: (broker: Broker) => WireRequest<T>,
): Promise<T> {
  const broker = await cluster.findBroker({ nodeId })
  try {
    const sent = request(broker)
    const doubt = (): Promise<void> => connection.refresh(cluster)
    return await inDoubt(broker.connectionPool.send(sent), sent.requestTimeout, doubt)
  } catch (error) {
    connection.drop(cluster, broker)
    if (isUnanswered(error)) for (const each of resting) each.suspect(broker.brokerAddress)
    throw error
  }
}

/** Whether it is connected and has no requests. */
function isIdle({ connectionPool: { pool } }: Broker): boolean {
  return (
    pool.some((connection) => connection.isConnected()) &&
    pool.every(({ requestQueue }) => requestQueue.inflight.size === 0)
  )
}

/** Whether the request timed out without an answer. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.name === 'KafkaJSRequestTimeoutError'

/** Queries topics that are not known yet. Some may still be unknown afterwards: `topicFault` tells why. */
export async function knowTopics(cluster: Cluster, topics: readonly string[]): Promise<void> {
  if (topics.every((topic) => isKnown(cluster, topic))) return
  await cluster.addMultipleTargetTopics(topics)
  // Another caller's look-up is running: the topic is on the list, but its partitions are not known yet.
  if (!topics.every((topic) => isKnown(cluster, topic))) await cluster.refreshMetadata()
}

const topicOf = (cluster: Cluster, topic: string) =>
  cluster.brokerPool.metadata?.topicMetadata.find((each) => each.topic === topic)

/** Whether the topic's partitions are known. The list of topics in kafkajs holds the requested ones. */
export function isKnown(cluster: Cluster, topic: string): boolean {
  return (topicOf(cluster, topic)?.partitionMetadata.length ?? 0) > 0
}

/** The id of the topic in the newest metadata; null if it is not known, or if the brokers have none. */
export function topicIdOf(cluster: Cluster, topic: string): string | null {
  return topicOf(cluster, topic)?.topicId ?? null
}

/** Why the topic is not known, as the brokers state it; null if it is known, or was never requested. */
export function topicFault(cluster: Cluster, topic: string): Error | null {
  const code = topicOf(cluster, topic)?.error ?? 0
  return code === 0 ? null : errorOfCode(code)
}

/** Like `knowTopics` for one topic. Rejects if it is not known afterwards. */
export async function requireTopic(cluster: Cluster, topic: string): Promise<void> {
  await knowTopics(cluster, [topic])
  const fault = topicFault(cluster, topic)
  if (fault !== null) throw fault
}
