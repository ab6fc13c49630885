/** The connection of a producer, and the number by which the brokers identify it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './connection.js'
import type { ProducerIdentity } from './record-batch.js'

export interface IdentitySource {
  /** Whether there is a connection, and a number if one is needed. */
  isReady(): boolean
  /** Null if none is needed, or if there is none yet. */
  current(): ProducerIdentity | null
  /** Connects and requests what is missing; one attempt at a time, with a pause after a failure. */
  prepare(): void
  /** Partitions without a number get another one. */
  forget(identity: ProducerIdentity | null): void
  /** Why the last attempt failed; null if it succeeded. */
  trouble(): unknown
}

const TRANSACTION_TIMEOUT_MS = 60_000
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 500

export const retryPauseMs = (attempt: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS)

/** `isNumbered`: brokers recognize retries by a number of the producer. `onChange` is called after every attempt. */
export function createIdentitySource(
  connection: Connection,
  { isNumbered, onChange }: { readonly isNumbered: boolean; readonly onChange: () => void },
): IdentitySource {
  let identity: ProducerIdentity | null = null
  let preparing: Promise<void> | null = null
  let failures = 0
  let trouble: unknown = null

  return {
    isReady: () => connection.current() !== null && (!isNumbered || identity !== null),
    current: () => identity,
    prepare() {
      preparing ??= attempt().finally(() => {
        preparing = null
        onChange()
      })
    },
    forget(forgotten) {
      if (forgotten !== null && forgotten === identity) identity = null
    },
    trouble: () => trouble,
  }

  async function attempt(): Promise<void> {
    try {
      const cluster = await connection.cluster()
      if (isNumbered) identity ??= await newIdentity(cluster)
      failures = 0
      trouble = null
    } catch (error) {
      trouble = error
      failures += 1
      await pause(retryPauseMs(failures))
    }
  }

  /** Any broker assigns numbers. One that does not answer gets a new connection, and the next attempt uses another broker. */
  async function newIdentity(cluster: Awaited<ReturnType<Connection['cluster']>>): Promise<ProducerIdentity> {
    const nodeIds = Object.keys(cluster.brokerPool.brokers)
    const broker = await cluster.findBroker({
      nodeId: nodeIds[Math.floor(Math.random() * nodeIds.length)] ?? 0,
    })
    try {
      const answer = await broker.initProducerId({ transactionTimeout: TRANSACTION_TIMEOUT_MS })
      return { id: BigInt(answer.producerId), epoch: answer.producerEpoch }
    } catch (error) {
      connection.drop(cluster, broker)
      throw error
    }
  }
}
