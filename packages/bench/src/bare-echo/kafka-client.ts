/** kafkajs's own producer and consumers in their fastest settings, for a comparison with the platform's Kafka client. */
// Applies the patch of kafkajs's idle timers that every process of the platform uses.
import '@cupel/event-log/kafka'
import { connect } from 'node:net'
import type { KafkaAccess } from '@cupel/local-stack'
import {
  AssignerProtocol,
  Kafka,
  logLevel,
  Partitioners,
  type ConsumerConfig,
  type Message,
  type PartitionAssigner,
} from 'kafkajs'

export type SendMessage = (topic: string, message: Message) => void

const CONSUMER: Omit<ConsumerConfig, 'groupId'> = {
  maxWaitTimeInMs: 250,
  minBytes: 1,
  sessionTimeout: 6_000,
  heartbeatInterval: 1_000,
  rebalanceTimeout: 10_000,
  allowAutoTopicCreation: false,
}
const PRODUCE_TIMEOUT_MS = 3_000
const MAX_PRODUCES_IN_FLIGHT = 2
const ALL_REPLICAS = -1

/** A broker of `cupel start`, or one that takes no password. */
export type BrokerAccess = Pick<KafkaAccess, 'brokers'> & Partial<KafkaAccess>

export function openKafka({ brokers, sasl }: BrokerAccess, clientId: string): Kafka {
  return new Kafka({
    brokers: [...brokers],
    ...(sasl === undefined ? {} : { sasl }),
    clientId,
    logLevel: logLevel.NOTHING,
    socketFactory: ({ host, port, onConnect }) => connect({ host, port }, onConnect).setNoDelay(true),
    retry: { initialRetryTime: 50, retries: 5 },
  })
}

/** Records sent in one turn of the event loop share a request. While two requests are in flight, records wait for the next. */
export async function openProducer(
  kafka: Kafka,
  onFailure: (error: unknown) => void,
): Promise<{ send: SendMessage; close: () => Promise<void> }> {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  })
  await producer.connect()
  const waiting = new Map<string, Message[]>()
  let scheduled = false
  let inFlight = 0

  function flush(): void {
    scheduled = false
    if (waiting.size === 0 || inFlight >= MAX_PRODUCES_IN_FLIGHT) return
    const topicMessages = [...waiting].map(([topic, messages]) => ({ topic, messages }))
    waiting.clear()
    inFlight += 1
    void producer
      .sendBatch({ acks: ALL_REPLICAS, timeout: PRODUCE_TIMEOUT_MS, topicMessages })
      .catch(onFailure)
      .finally(() => {
        inFlight -= 1
        if (!scheduled) flush()
      })
  }
  return {
    send(topic, message) {
      const messages = waiting.get(topic)
      if (messages === undefined) waiting.set(topic, [message])
      else messages.push(message)
      if (scheduled) return
      scheduled = true
      setImmediate(flush)
    },
    close: () => producer.disconnect(),
  }
}

export interface Reading {
  readonly kafka: Kafka
  readonly group: string
  readonly topic: string
  /** The only partition to read; all of them if left out. */
  readonly partition?: number
  readonly onMessage: (key: Buffer, value: Buffer) => void
}

/** Resolves once the consumer has joined its group. */
export async function readTopic(reading: Reading): Promise<{ stop: () => Promise<void> }> {
  const { kafka, topic, partition, onMessage } = reading
  const consumer = kafka.consumer({
    ...CONSUMER,
    groupId: reading.group,
    ...(partition === undefined ? {} : { partitionAssigners: [pinnedTo(topic, partition)] }),
  })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve))
  await consumer.run({
    autoCommit: false,
    partitionsConsumedConcurrently: 4,
    eachBatch({ batch }) {
      for (const { key, value } of batch.messages) onMessage(key!, value!)
      return Promise.resolve()
    },
  })
  await joined
  return { stop: () => consumer.disconnect() }
}

/** kafkajs reads only as a member of a group. A group of one member, whose assigner names one partition, reads only that one. */
function pinnedTo(topic: string, partition: number): PartitionAssigner {
  const { MemberAssignment, MemberMetadata } = AssignerProtocol
  const userData = Buffer.alloc(0)
  return () => ({
    name: 'Pinned',
    version: 0,
    assign: ({ members }) =>
      Promise.resolve(
        members.map(({ memberId }) => ({
          memberId,
          memberAssignment: MemberAssignment.encode({
            version: 0,
            assignment: { [topic]: [partition] },
            userData,
          }),
        })),
      ),
    protocol: ({ topics }) => ({
      name: 'Pinned',
      metadata: MemberMetadata.encode({ version: 0, topics, userData }),
    }),
  })
}
