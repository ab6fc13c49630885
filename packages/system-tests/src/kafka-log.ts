/** The topics as a downstream team sees them: read with a plain Kafka client, decoded through the registry. */
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs'
import type { ReadyLine } from './installation.js'
import { until } from './until.js'

export interface DecodedRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly type: string
  readonly id: string
  readonly value: Readonly<Record<string, unknown>>
}

const PROBE = 'cupel.probe'
const IDLE_MS = 30_000
/** The registry's own connections to a database that was killed fail once each before it makes new ones. */
const REGISTRY_PATIENCE_MS = 20_000

/** Every record of a topic up to its present end, in offset order per partition; probes left out. */
export async function readTopic(ready: ReadyLine, topic: string): Promise<DecodedRecord[]> {
  const kafka = new Kafka({
    clientId: 'system-test',
    brokers: [...ready.log.brokers!],
    logLevel: logLevel.NOTHING,
  })
  const registry = new SchemaRegistry({ host: ready.log.registry! })
  const admin = kafka.admin()
  await admin.connect()
  const ends = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  const missing = new Map(
    ends.filter((end) => Number(end.high) > Number(end.low)).map((end) => [end.partition, Number(end.high)]),
  )
  if (missing.size === 0) return []

  const consumer = kafka.consumer({
    groupId: `system-test-${Date.now()}-${Math.random()}`,
    maxWaitTimeInMs: 100,
  })
  const raw: { partition: number; message: KafkaMessage }[] = []
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  let stuck: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      stuck = setTimeout(
        () => reject(new Error(`reading ${topic} made no end: ${JSON.stringify([...missing])}`)),
        IDLE_MS,
      )
      consumer
        .run({
          autoCommit: false,
          eachBatch: ({ batch }) => {
            for (const message of batch.messages) raw.push({ partition: batch.partition, message })
            if (Number(batch.lastOffset()) + 1 >= (missing.get(batch.partition) ?? 0))
              missing.delete(batch.partition)
            if (missing.size === 0) resolve()
            return Promise.resolve()
          },
        })
        .catch(reject)
    })
  } finally {
    clearTimeout(stuck)
    await consumer.disconnect()
  }
  const decode = (value: Buffer): Promise<Record<string, unknown>> =>
    until('a decoded record', REGISTRY_PATIENCE_MS, () => registry.decode(value))
  const records: DecodedRecord[] = []
  for (const { partition, message } of raw) {
    const type = message.headers?.['ce_type']?.toString() ?? ''
    if (type === PROBE || message.value === null) continue
    records.push({
      topic,
      partition,
      offset: Number(message.offset),
      key: message.key?.toString() ?? '',
      type,
      id: message.headers?.['ce_id']?.toString() ?? '',
      value: await decode(message.value),
    })
  }
  return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset)
}

/** The first record of each report id in its partition: the one that counts. */
export function effectiveReports(records: readonly DecodedRecord[]): Map<string, DecodedRecord> {
  const first = new Map<string, DecodedRecord>()
  for (const record of records) if (!first.has(record.key)) first.set(record.key, record)
  return first
}
