/** The bounds of partitions, the identity of the log, and whether a checkpoint belongs to it. */
import { setTimeout as pause } from 'node:timers/promises'
import { attempt, RefusedError, requireLeader, unknownTopic } from './attempt.js'
import { requireTopic, sendTo, topicIdOf, type Connection } from './connection.js'
import type { Cluster } from './kafkajs.js'
import { offsetLookup } from './offset-lookup.js'
import { decodeBatches } from './record-batch.js'
import { FETCH_KEY, fetchRequest } from './wire-fetch.js'

import { wireErrors } from './wire.js'
import { GENESIS_TOPIC } from '../genesis.js'
import { TRUNCATED_REMEDY } from '../missing-front.js'
import {
  LogStoppedError,
  LogUnavailableError,
  type Checkpoint,
  type LogIdentity,
  type LogRecord,
} from '../port.js'

export interface LogPositions {
  endOffset(wireTopic: string, partition: number): Promise<number>
  startOffset(wireTopic: string, partition: number): Promise<number>
  partitionCount(wireTopic: string): Promise<number>
  /** Reads it from the brokers each time: other brokers may serve the address by now. */
  identity(): Promise<LogIdentity>
  /** Null if there is no genesis record yet. */
  findIdentity(): Promise<LogIdentity | null>
  /** Throws a LogStoppedError if the log does not continue at `next`. */
  verify(place: { wireTopic: string; partition: number }, checkpoint: Checkpoint | null): Promise<Bounds>
}

export interface Bounds {
  readonly startOffset: number
  readonly endOffset: number
}

/**
 * After a change of leader the reported end may be too low for a moment, and a former leader that its peers cannot reach reports its old
 * one for as long. The checkpoint is still valid then. The leaders are read again each time, from any broker.
 */
const END_ATTEMPTS = 5
const END_PAUSE_MS = 300

export function logPositions(connection: Connection, topicPrefix: string): LogPositions {
  return new ConnectedPositions(connection, topicPrefix)
}

class ConnectedPositions implements LogPositions {
  readonly startOffset: LogPositions['startOffset']
  readonly endOffset: LogPositions['endOffset']
  private readonly connection: Connection
  private readonly genesisTopic: string
  private readonly counts = new Map<string, number>()
  private identifying: Promise<LogIdentity | null> | null = null

  constructor(connection: Connection, topicPrefix: string) {
    this.connection = connection
    this.genesisTopic = topicPrefix + GENESIS_TOPIC
    this.startOffset = offsetLookup(connection, 'start')
    this.endOffset = offsetLookup(connection, 'end')
  }

  async partitionCount(wireTopic: string): Promise<number> {
    const known = this.counts.get(wireTopic)
    if (known !== undefined) return known
    const count = await attempt(this.connection, wireTopic, async (cluster) => {
      await requireTopic(cluster, wireTopic)
      return cluster.brokerPool.metadata?.topicMetadata.find((each) => each.topic === wireTopic)
        ?.partitionMetadata.length
    })
    if (count === undefined || count === 0) throw unknownTopic(wireTopic)
    // Cached: when partitions are added to a lane, its readers and writers restart in an order (docs/adr/0326).
    this.counts.set(wireTopic, count)
    return count
  }

  async identity(): Promise<LogIdentity> {
    const found = await this.findIdentity()
    if (found !== null) return found
    throw new LogUnavailableError(
      `The log has no genesis record in ${this.genesisTopic} yet: its topics have to be created first.`,
    )
  }

  findIdentity(): Promise<LogIdentity | null> {
    this.identifying ??= this.askIdentity().finally(() => (this.identifying = null))
    return this.identifying
  }

  private async askIdentity(): Promise<LogIdentity | null> {
    return await attempt(this.connection, this.genesisTopic, async (cluster) => {
      // Not the cached metadata: its cluster id may be that of a broker that was replaced meanwhile.
      await cluster.refreshMetadata()
      await requireTopic(cluster, this.genesisTopic)
      const metadata = cluster.brokerPool.metadata
      const genesis = await firstRecord(this.connection, cluster, this.genesisTopic)
      return genesis === null || metadata === null ? null : `${metadata.clusterId}/${genesis.key}`
    })
  }

  async verify(
    { wireTopic, partition }: { wireTopic: string; partition: number },
    checkpoint: Checkpoint | null,
  ): Promise<Bounds> {
    const place = `${wireTopic}/${partition}`
    const next = checkpoint?.next ?? 0
    if (checkpoint !== null) {
      const present = await this.identity()
      if (checkpoint.log !== present)
        throw new LogStoppedError(
          'foreign-log',
          `The checkpoint ${next} of ${place} was taken on the log ${checkpoint.log}, and this is ${present}: restore the right log, or rebuild from this one.`,
        )
    }
    let bounds = await this.boundsOf(wireTopic, partition)
    for (let attempts = 1; next > bounds.endOffset && attempts < END_ATTEMPTS; attempts += 1) {
      await pause(END_PAUSE_MS)
      const cluster = this.connection.current()
      if (cluster !== null) await this.connection.refresh(cluster)
      bounds = await this.boundsOf(wireTopic, partition)
    }
    if (next > bounds.endOffset)
      throw new LogStoppedError(
        'beyond-end',
        `The checkpoint ${next} of ${place} lies beyond its end ${bounds.endOffset}: records that were read are gone from the log.`,
      )
    if (next < bounds.startOffset)
      throw new LogStoppedError(
        'truncated-log',
        `Reading ${place} would go on at ${next}, and its oldest record is ${bounds.startOffset}: the records between were deleted. ${TRUNCATED_REMEDY}`,
      )
    return bounds
  }

  private async boundsOf(wireTopic: string, partition: number): Promise<Bounds> {
    const [startOffset, endOffset] = await Promise.all([
      this.startOffset(wireTopic, partition),
      this.endOffset(wireTopic, partition),
    ])
    return { startOffset, endOffset }
  }
}

async function firstRecord(
  connection: Connection,
  cluster: Cluster,
  wireTopic: string,
): Promise<LogRecord | null> {
  const nodeId = requireLeader(cluster, wireTopic, 0)
  const limits = { maxWaitMs: 0, maxBytes: 65_536, maxPartitionBytes: 65_536 }
  const part = { topic: wireTopic, topicId: topicIdOf(cluster, wireTopic), partition: 0, offset: 0 }
  const [answer] = await sendTo(connection, { cluster, nodeId }, ({ versions }) =>
    fetchRequest([part], limits, versions?.[FETCH_KEY]?.maxVersion ?? 0),
  )
  if (answer === undefined) throw new Error(`Kafka answered nothing for ${wireTopic}/0`)
  if (answer.error !== wireErrors.NONE) throw new RefusedError(answer.error, `${wireTopic}/0`)
  return decodeBatches(answer.batches, wireTopic, 0, 0).records[0] ?? null
}
