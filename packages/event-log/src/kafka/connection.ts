/**
 * A connection to the cluster that is replaced, never repaired: after any error it is discarded and the next caller gets a new
 * one. kafkajs can reconnect by itself, but does so with known races.
 */
import { createCluster, disconnect, type Cluster, type KafkaConnectionOptions } from './kafkajs.js'

export interface Connection {
  /** The present cluster, connecting where there is none. Rejects where no broker can be reached now. */
  cluster(): Promise<Cluster>
  /** The present cluster where it is connected already. */
  current(): Cluster | null
  /** Replaces this cluster at the next use; does nothing where it was replaced already. */
  discard(cluster: Cluster): void
  close(): Promise<void>
}

export function openConnection(options: KafkaConnectionOptions): Connection {
  let connected: Cluster | null = null
  let connecting: Promise<Cluster> | null = null
  let closed = false
  const leaving = new Set<Promise<void>>()

  return {
    current: () => connected,
    cluster() {
      if (closed) return Promise.reject(new Error('The connection to Kafka was closed'))
      if (connected !== null) return Promise.resolve(connected)
      connecting ??= connect().finally(() => (connecting = null))
      return connecting
    },
    discard(cluster) {
      if (cluster !== connected) return
      connected = null
      leave(cluster)
    },
    async close() {
      closed = true
      await connecting?.catch(() => undefined)
      if (connected !== null) leave(connected)
      connected = null
      await Promise.all(leaving)
    },
  }

  async function connect(): Promise<Cluster> {
    const cluster = createCluster(options)
    try {
      await cluster.connect()
      await cluster.refreshMetadata()
    } catch (error) {
      leave(cluster)
      throw error
    }
    if (closed) {
      leave(cluster)
      throw new Error('The connection to Kafka was closed')
    }
    connected = cluster
    return cluster
  }

  /** Rejects requests under way at once. Errors of closing are ignored: a broken connection seldom closes cleanly. */
  function leave(cluster: Cluster): void {
    const left = disconnect(cluster)
      .catch((error: unknown) =>
        options.logger.debug({ error: String(error) }, 'A Kafka connection did not close cleanly'),
      )
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }
}

/** Makes the cluster know the topics' partitions. Rejects where one does not exist. */
export async function knowTopics(cluster: Cluster, topics: readonly string[]): Promise<void> {
  if (topics.every((topic) => isKnown(cluster, topic))) return
  await cluster.addMultipleTargetTopics(topics)
  // Another caller's look-up is under way: the topic is on the list, but its partitions are not known yet.
  if (!topics.every((topic) => isKnown(cluster, topic))) await cluster.refreshMetadata()
}

/** Whether the topic's partitions and leaders are known. The list of topics in kafkajs holds those that were asked for. */
export function isKnown(cluster: Cluster, topic: string): boolean {
  const found = cluster.brokerPool.metadata?.topicMetadata.find((each) => each.topic === topic)
  return found !== undefined && found.partitionMetadata.length > 0
}
