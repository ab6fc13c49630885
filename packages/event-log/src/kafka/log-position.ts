/** Where partitions begin and end, which log this is, and whether a checkpoint belongs to it. */
import { knowTopics, type Connection } from './connection.js'
import { leaderOf, protocolError, type Cluster } from './kafkajs.js'
import { decodeBatches } from './record-batch.js'
import { fetchRequest, isPassing, wireErrors } from './wire.js'
import { GENESIS_TOPIC } from '../genesis.js'
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
  /** Asked anew each time: the brokers behind an address may be others than a moment ago. */
  identity(): Promise<LogIdentity>
  /** Null where there is no genesis record yet. */
  findIdentity(): Promise<LogIdentity | null>
  /** Stops with one sentence where reading cannot go on at `next`. */
  verify(place: { wireTopic: string; partition: number }, checkpoint: Checkpoint | null): Promise<Bounds>
}

export interface Bounds {
  readonly startOffset: number
  readonly endOffset: number
}

const ATTEMPTS = 5
/** A broker that has just created a topic, or taken it over, says for a while that it does not lead it; a busy one for long. */
const REFUSED_ATTEMPTS = 50
const PAUSE_MS = 200
/** After a change of leader the end may be reported too low for a moment; a checkpoint is not refused for that. */
const END_ATTEMPTS = 5
const END_PAUSE_MS = 300

export function logPositions(connection: Connection, topicPrefix: string): LogPositions {
  const ends = offsetLookup(connection, 'end')
  const starts = offsetLookup(connection, 'start')
  const counts = new Map<string, number>()
  const genesisTopic = topicPrefix + GENESIS_TOPIC
  let identifying: Promise<LogIdentity | null> | null = null

  return {
    endOffset: ends,
    startOffset: starts,
    async partitionCount(wireTopic) {
      const known = counts.get(wireTopic)
      if (known !== undefined) return known
      const count = await attempt(connection, wireTopic, async (cluster) => {
        await knowTopics(cluster, [wireTopic])
        return cluster.brokerPool.metadata?.topicMetadata.find((each) => each.topic === wireTopic)
          ?.partitionMetadata.length
      })
      if (count === undefined || count === 0) throw unknownTopic(wireTopic)
      // Never changes: report ids name partitions.
      counts.set(wireTopic, count)
      return count
    },
    findIdentity,
    identity,
    verify,
  }

  async function identity(): Promise<LogIdentity> {
    const found = await findIdentity()
    if (found !== null) return found
    throw new LogUnavailableError(
      `The log has no genesis record in ${genesisTopic} yet: its topics have to be created first.`,
    )
  }

  function findIdentity(): Promise<LogIdentity | null> {
    identifying ??= askIdentity().finally(() => (identifying = null))
    return identifying
  }

  async function askIdentity(): Promise<LogIdentity | null> {
    return await attempt(connection, genesisTopic, async (cluster) => {
      // Not the cached metadata: its cluster id may be that of a broker that was replaced meanwhile.
      await cluster.refreshMetadata()
      await knowTopics(cluster, [genesisTopic])
      const metadata = cluster.brokerPool.metadata
      const genesis = await firstRecord(cluster, genesisTopic)
      return genesis === null || metadata === null ? null : `${metadata.clusterId}/${genesis.key}`
    })
  }

  async function verify(
    { wireTopic, partition }: { wireTopic: string; partition: number },
    checkpoint: Checkpoint | null,
  ): Promise<Bounds> {
    const place = `${wireTopic}/${partition}`
    const next = checkpoint?.next ?? 0
    if (checkpoint !== null) {
      const present = await identity()
      if (checkpoint.log !== present)
        throw new LogStoppedError(
          'foreign-log',
          `The checkpoint ${next} of ${place} was taken on the log ${checkpoint.log}, and this is ${present}: restore the right log, or rebuild from this one.`,
        )
    }
    let bounds = await boundsOf(wireTopic, partition)
    for (let attempts = 1; next > bounds.endOffset && attempts < END_ATTEMPTS; attempts += 1) {
      await pause(END_PAUSE_MS)
      bounds = await boundsOf(wireTopic, partition)
    }
    if (next > bounds.endOffset)
      throw new LogStoppedError(
        'beyond-end',
        `The checkpoint ${next} of ${place} lies beyond its end ${bounds.endOffset}: records that were read are gone from the log.`,
      )
    if (next < bounds.startOffset)
      throw new LogStoppedError(
        'truncated-log',
        `Reading ${place} would go on at ${next}, and its oldest record is ${bounds.startOffset}: what lies between was deleted.`,
      )
    return bounds
  }

  async function boundsOf(wireTopic: string, partition: number): Promise<Bounds> {
    const [startOffset, endOffset] = await Promise.all([
      starts(wireTopic, partition),
      ends(wireTopic, partition),
    ])
    return { startOffset, endOffset }
  }
}

async function firstRecord(cluster: Cluster, wireTopic: string): Promise<LogRecord | null> {
  const leader = leaderOf(cluster.brokerPool.metadata, wireTopic, 0)
  if (leader === null) throw new Error(`No leader is known for ${wireTopic}/0`)
  const broker = await cluster.findBroker({ nodeId: leader })
  const limits = { maxWaitMs: 0, maxBytes: 65_536, maxPartitionBytes: 65_536 }
  const [answer] = await broker.connectionPool.send(
    fetchRequest([{ topic: wireTopic, partition: 0, offset: 0 }], limits),
  )
  if (answer === undefined) throw new Error(`Kafka answered nothing for ${wireTopic}/0`)
  if (answer.error !== wireErrors.NONE) throw new FetchRefusedError(answer.error, `${wireTopic}/0`)
  return decodeBatches(answer.batches, wireTopic, 0, 0).records[0] ?? null
}

interface Wanted {
  readonly wireTopic: string
  readonly partition: number
  readonly resolve: (offset: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * One look-up at a time for everyone who asked before it began. A call that comes while one is under way waits for the next:
 * an answer from before the call could be too old for who asked.
 */
function offsetLookup(
  connection: Connection,
  which: 'start' | 'end',
): (wireTopic: string, partition: number) => Promise<number> {
  let waiting: Wanted[] = []
  let busy = false

  return (wireTopic, partition) =>
    new Promise((resolve, reject) => {
      waiting.push({ wireTopic, partition, resolve, reject })
      if (busy) return
      busy = true
      setImmediate(() => void lookUp())
    })

  async function lookUp(): Promise<void> {
    while (waiting.length > 0) {
      const wanted = waiting
      waiting = []
      const byTopic = new Map<string, Wanted[]>()
      for (const each of wanted) byTopic.set(each.wireTopic, [...(byTopic.get(each.wireTopic) ?? []), each])
      // One topic that does not exist must not fail the others.
      await Promise.all([...byTopic].map(([wireTopic, own]) => lookUpTopic(wireTopic, own)))
    }
    busy = false
  }

  async function lookUpTopic(wireTopic: string, wanted: readonly Wanted[]): Promise<void> {
    try {
      const partitions = [...new Set(wanted.map((each) => each.partition))].map((partition) => ({
        partition,
      }))
      const offsets = await attempt(connection, wireTopic, async (cluster) => {
        await knowTopics(cluster, [wireTopic])
        const [found] = await cluster.fetchTopicsOffset([
          { topic: wireTopic, partitions, fromBeginning: which === 'start' },
        ])
        return new Map(found?.partitions.map((each) => [each.partition, Number(each.offset)]))
      })
      for (const each of wanted) {
        const offset = offsets.get(each.partition)
        if (offset === undefined) each.reject(unknownTopic(`${wireTopic}/${each.partition}`))
        else each.resolve(offset)
      }
    } catch (error) {
      for (const each of wanted) each.reject(error)
    }
  }
}

/** Asks again over a new connection where the first one failed. Throws LogUnavailableError. */
async function attempt<T>(
  connection: Connection,
  wireTopic: string,
  ask: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    let cluster: Cluster | null = null
    try {
      cluster = await connection.cluster()
      return await ask(cluster)
    } catch (error) {
      const unknown = protocolError(error) === 'UNKNOWN_TOPIC_OR_PARTITION'
      if (cluster !== null && !unknown) connection.discard(cluster)
      const isPassingRefusal = error instanceof FetchRefusedError && isPassing(error.code)
      if (attempts < (isPassingRefusal ? REFUSED_ATTEMPTS : ATTEMPTS)) {
        await pause(PAUSE_MS)
        continue
      }
      if (unknown) throw unknownTopic(wireTopic)
      throw new LogUnavailableError(`Kafka could not be asked about ${wireTopic}: ${String(error)}`, {
        cause: error,
      })
    }
  }
}

/** The broker was reached and refused. */
class FetchRefusedError extends Error {
  override readonly name = 'FetchRefusedError'
  readonly code: number
  constructor(code: number, place: string) {
    super(`Kafka answered error ${code} for ${place}`)
    this.code = code
  }
}

function unknownTopic(name: string): LogUnavailableError {
  return new LogUnavailableError(
    `The topic ${name} does not exist in this Kafka cluster: its topics have to be created first.`,
  )
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
