/** Runs work on the cluster itself, and repeats it while one of its brokers cannot be reached. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import './patched-metadata.js'
import './patched-seeds.js'
import { createAdmin, type KafkaConnectionOptions } from './kafkajs.js'

/** The other brokers name a restarting broker before it listens, or for as long as its session lasts. */
const BROKER_BACK_WITHIN_MS = 30_000
const PAUSE_MS = 200
/** Names of kafkajs errors that say nothing about the request, only that a broker did not answer it. */
const UNREACHABLE = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSLockTimeout',
])

export interface AdminOptions {
  readonly create?: (connection: KafkaConnectionOptions) => Admin
  readonly backWithinMs?: number
}

/**
 * Runs the work with an admin client. The work must be repeatable: it begins again, over a new connection, if a broker that the metadata
 * names does not answer. kafkajs sends much of it to one broker, the "controller", and KRaft names any broker there. Throws the work's last
 * error after `BROKER_BACK_WITHIN_MS`; at once if the error is of another kind, or if no broker was reached at all.
 */
export async function withAdmin<T>(
  connection: KafkaConnectionOptions,
  work: (admin: Admin) => Promise<T>,
  { create = createAdmin, backWithinMs = BROKER_BACK_WITHIN_MS }: AdminOptions = {},
): Promise<T> {
  const endAt = Date.now() + backWithinMs
  let wasReached = false
  for (;;) {
    const admin = create(connection)
    try {
      await admin.connect()
      wasReached = true
      return await work(admin)
    } catch (error) {
      if (!wasReached || !isUnreachable(error) || Date.now() >= endAt) throw error
      connection.logger.debug({ error: String(error) }, 'A Kafka broker could not be reached; trying again')
    } finally {
      await admin.disconnect()
    }
    await pause(PAUSE_MS)
  }
}

function isUnreachable(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (UNREACHABLE.has(each.name)) return true
  return false
}
