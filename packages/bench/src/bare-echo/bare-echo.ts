/**
 * The bare echo: a request record, an echo in a separate process, a reply record, each by kafkajs's own producer and
 * consumers. An improvement of the platform's log port lowers the floor too, but not the bare echo (docs/performance.md).
 */
import { randomBytes } from 'node:crypto'
import { FLOOR_RECORD_BYTES } from '../floor.js'
import type { Send } from '../load.js'
import { openKafka, openProducer, readTopic, type BrokerAccess } from './kafka-client.js'

/** Topics and groups of a run carry its prefix. */
export interface BareEchoConnection extends BrokerAccess {
  readonly topicPrefix: string
}

const REQUEST_PARTITIONS = 4
const REPLY_PARTITIONS = 2
const REPLY_PARTITION = 1
const ANSWER_TIMEOUT_MS = 10_000

const requestTopic = ({ topicPrefix }: BareEchoConnection): string => `${topicPrefix}echo.request`
const replyTopic = ({ topicPrefix }: BareEchoConnection): string => `${topicPrefix}echo.reply`

/** Answers every request with a reply of the same key and value. */
export async function startBareEcho(connection: BareEchoConnection): Promise<{ stop: () => Promise<void> }> {
  const kafka = openKafka(connection, 'bench-bare-echo')
  await ensureTopics(connection)
  const producer = await openProducer(kafka, (error) => {
    throw error
  })
  const reading = await readTopic({
    kafka,
    group: `${connection.topicPrefix}echo`,
    topic: requestTopic(connection),
    onMessage: (key, value) =>
      producer.send(replyTopic(connection), { key, value, partition: REPLY_PARTITION }),
  })
  return {
    async stop() {
      await reading.stop()
      await producer.close()
    },
  }
}

export async function bareEchoClient(
  connection: BareEchoConnection,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): Promise<{ send: Send; close: () => Promise<void> }> {
  const kafka = openKafka(connection, 'bench-bare-echo-client')
  const run = randomBytes(4).toString('hex')
  await ensureTopics(connection)
  const pending = new Map<string, (error?: unknown) => void>()
  const producer = await openProducer(kafka, (error) => {
    for (const settle of [...pending.values()]) settle(error)
  })
  const reading = await readTopic({
    kafka,
    group: `${connection.topicPrefix}client-${run}`,
    topic: replyTopic(connection),
    partition: REPLY_PARTITION,
    onMessage: (key) => pending.get(key.toString())?.(),
  })
  const value = randomBytes(FLOOR_RECORD_BYTES)
  return {
    send: (index) =>
      new Promise((resolve, reject) => {
        const key = `${run}-${index}`
        const timer = setTimeout(() => settle(new Error('no answer from the bare echo')), answerTimeoutMs)
        const settle = (error?: unknown): void => {
          clearTimeout(timer)
          pending.delete(key)
          if (error === undefined) resolve()
          else reject(error instanceof Error ? error : new Error(String(error)))
        }
        pending.set(key, settle)
        producer.send(requestTopic(connection), { key, value })
      }),
    async close() {
      await reading.stop()
      await producer.close()
    },
  }
}

async function ensureTopics(connection: BareEchoConnection): Promise<void> {
  const admin = openKafka(connection, 'bench-bare-echo-admin').admin()
  await admin.connect()
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      { topic: requestTopic(connection), numPartitions: REQUEST_PARTITIONS },
      { topic: replyTopic(connection), numPartitions: REPLY_PARTITIONS },
    ],
  })
  await admin.disconnect()
}
