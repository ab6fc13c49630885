/**
 * The bare echo: a request record, an echo in a separate process, a reply record, each by kafkajs's own producer and consumers in
 * their fastest settings. An improvement of the platform's log port lowers the floor too, but not the bare echo.
 */
// Applies the patch of kafkajs's idle timers that every process of the platform uses.
import '@cupel/event-log/kafka'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { KafkaAccess } from '@cupel/local-stack'
import { Kafka, logLevel, Partitioners, type ConsumerConfig, type Message } from 'kafkajs'
import { FLOOR_RECORD_BYTES } from '../floor.js'
import type { Client } from '../load.js'
import { openPending } from '../pending.js'

/** Topics and groups of a run carry its prefix. */
export interface BareEchoConnection extends Pick<KafkaAccess, 'brokers'> {
  readonly sasl?: KafkaAccess['sasl']
  readonly topicPrefix: string
}

const CONSUMER: Omit<ConsumerConfig, 'groupId'> = {
  ...{ maxWaitTimeInMs: 250, minBytes: 1, allowAutoTopicCreation: false },
  ...{ sessionTimeout: 6_000, heartbeatInterval: 1_000, rebalanceTimeout: 10_000 },
}
const REQUEST_PARTITIONS = 4
const PRODUCE_TIMEOUT_MS = 3_000
const MAX_PRODUCES_IN_FLIGHT = 2
const ALL_REPLICAS = -1

const requestTopic = ({ topicPrefix }: BareEchoConnection): string => `${topicPrefix}echo.request`
const replyTopic = ({ topicPrefix }: BareEchoConnection): string => `${topicPrefix}echo.reply`

/** Answers every request with a reply of the same key and value. */
export async function startBareEcho(connection: BareEchoConnection): Promise<{ stop: () => Promise<void> }> {
  const kafka = await openKafka(connection)
  const producer = await openProducer(kafka, (error) => {
    throw error
  })
  const stop = await read(kafka, `${connection.topicPrefix}echo`, requestTopic(connection), (key, value) =>
    producer.send(replyTopic(connection), { key, value }),
  )
  return {
    async stop() {
      await stop()
      await producer.close()
    },
  }
}

export async function bareEchoClient(
  connection: BareEchoConnection,
  answerTimeoutMs?: number,
): Promise<Client> {
  const kafka = await openKafka(connection)
  const pending = openPending('no answer from the bare echo', answerTimeoutMs)
  const producer = await openProducer(kafka, pending.failed)
  const group = `${connection.topicPrefix}client-${randomBytes(4).toString('hex')}`
  const stop = await read(kafka, group, replyTopic(connection), (key) => pending.answered(key.toString()))
  const value = randomBytes(FLOOR_RECORD_BYTES)
  return {
    send: (index) => pending.ask(index, (key) => producer.send(requestTopic(connection), { key, value })),
    async close() {
      await stop()
      await producer.close()
    },
  }
}

/** The reply topic has one partition, so that its reader needs no assigner of its own. */
async function openKafka(connection: BareEchoConnection): Promise<Kafka> {
  const { brokers, sasl } = connection
  const kafka = new Kafka({
    brokers: [...brokers],
    ...(sasl === undefined ? {} : { sasl }),
    clientId: 'bench-bare-echo',
    logLevel: logLevel.NOTHING,
    socketFactory: ({ host, port, onConnect }) => connect({ host, port }, onConnect).setNoDelay(true),
    retry: { initialRetryTime: 50, retries: 5 },
  })
  const admin = kafka.admin()
  await admin.connect()
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      { topic: requestTopic(connection), numPartitions: REQUEST_PARTITIONS },
      { topic: replyTopic(connection), numPartitions: 1 },
    ],
  })
  await admin.disconnect()
  return kafka
}

interface Producer {
  readonly send: (topic: string, message: Message) => void
  readonly close: () => Promise<void>
}

/** Records sent in one turn of the event loop share a request. While two requests are in flight, records wait for the next. */
async function openProducer(kafka: Kafka, onFailure: (error: unknown) => void): Promise<Producer> {
  const createPartitioner = Partitioners.DefaultPartitioner
  const producer = kafka.producer({ allowAutoTopicCreation: false, createPartitioner })
  await producer.connect()
  const waiting = new Map<string, Message[]>()
  let [isScheduled, inFlight] = [false, 0]
  const flush = (): void => {
    isScheduled = false
    if (waiting.size === 0 || inFlight >= MAX_PRODUCES_IN_FLIGHT) return
    const topicMessages = [...waiting].map(([topic, messages]) => ({ topic, messages }))
    waiting.clear()
    inFlight += 1
    void producer
      .sendBatch({ acks: ALL_REPLICAS, timeout: PRODUCE_TIMEOUT_MS, topicMessages })
      .catch(onFailure)
      .finally(() => {
        inFlight -= 1
        if (!isScheduled) flush()
      })
  }
  return {
    send(topic, message) {
      const messages = waiting.get(topic)
      if (messages === undefined) waiting.set(topic, [message])
      else messages.push(message)
      if (isScheduled) return
      isScheduled = true
      setImmediate(flush)
    },
    close: () => producer.disconnect(),
  }
}

/** Resolves with the function that stops reading, once the consumer has joined its group. */
async function read(
  kafka: Kafka,
  groupId: string,
  topic: string,
  onMessage: (key: Buffer, value: Buffer) => void,
): Promise<() => Promise<void>> {
  const consumer = kafka.consumer({ ...CONSUMER, groupId })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve))
  await consumer.run({
    autoCommit: false,
    partitionsConsumedConcurrently: REQUEST_PARTITIONS,
    eachBatch({ batch }) {
      for (const { key, value } of batch.messages) onMessage(key!, value!)
      return Promise.resolve()
    },
  })
  await joined
  return () => consumer.disconnect()
}
