/** Queries to the brokers that are retried when the answer is only a matter of time. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './connection.js'
import { leaderOf, type Cluster } from './kafkajs.js'
import { errorOfCode, protocolError } from './protocol-errors.js'
import { LogUnavailableError } from '../port.js'
import { isPassing, wireErrors } from './wire.js'

const ATTEMPTS = 5
/** A broker that has just created or taken over a topic denies for a while that it leads it; a busy one for long. */
const REFUSED_ATTEMPTS = 50
const PAUSE_MS = 200

/** Throws RefusedError if no broker leads it now. */
export function requireLeader(cluster: Cluster, wireTopic: string, partition: number): number {
  const leader = leaderOf(cluster.brokerPool.metadata, wireTopic, partition)
  if (leader === null) throw new RefusedError(wireErrors.LEADER_NOT_AVAILABLE, `${wireTopic}/${partition}`)
  return leader
}

/** Retries, and reads the leaders again. Throws LogUnavailableError. */
export async function attempt<T>(
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
      const code = protocolError(error)
      const isUnknown = code === 'UNKNOWN_TOPIC_OR_PARTITION'
      const isPassingRefusal = error instanceof RefusedError && isPassing(error.code)
      if (attempts < (isPassingRefusal ? REFUSED_ATTEMPTS : ATTEMPTS)) {
        await pause(PAUSE_MS)
        if (cluster !== null) await connection.refresh(cluster)
        continue
      }
      if (isUnknown) throw unknownTopic(wireTopic)
      throw new LogUnavailableError(`Kafka could not be asked about ${wireTopic}: ${String(error)}`, {
        cause: error,
      })
    }
  }
}

/** The broker answered with an error, or named no leader. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly code: number
  constructor(code: number, place: string) {
    super(`Kafka answered error ${code} for ${place}`, { cause: errorOfCode(code) })
    this.code = code
  }
}

export function unknownTopic(name: string): LogUnavailableError {
  return new LogUnavailableError(
    `The topic ${name} does not exist in this Kafka cluster: its topics have to be created first.`,
  )
}
