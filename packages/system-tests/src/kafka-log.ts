/** Reads the topics as a downstream team does: with a plain Kafka client and the schema registry. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import { Kafka, logLevel, Partitioners, type KafkaMessage, type SASLOptions } from 'kafkajs'
import { checkout, type ReadyLine } from './installation.js'
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

/** A reader that receives no batch for this long has stopped. */
const IDLE_MS = 60_000
/** After a kill of its database, each connection of the registry fails once before the registry opens a new one. */
const REGISTRY_PATIENCE_MS = 120_000
/** A restarted broker first elects the leaders of its partitions. */
const ENDS_PATIENCE_MS = 120_000

/** The headers of a record, as the description of the events for other programs has them. */
export function describedHeaders(): {
  readonly names: readonly string[]
  readonly required: readonly string[]
} {
  const text = readFileSync(join(checkout, 'docs/reference/asyncapi.json'), 'utf8')
  const { components } = JSON.parse(text) as {
    components: { schemas: { Envelope: { required: string[]; properties: object } } }
  }
  const { required, properties } = components.schemas.Envelope
  return { names: Object.keys(properties), required }
}

/** Every record of a topic up to its current end, in offset order per partition. */
export async function readTopic(ready: ReadyLine, topic: string): Promise<DecodedRecord[]> {
  const registry = new SchemaRegistry({ host: ready.log.registry! })
  const decode = (value: Buffer): Promise<Record<string, unknown>> =>
    until('a decoded record', REGISTRY_PATIENCE_MS, () => registry.decode(value))
  const records: DecodedRecord[] = []
  for (const { value, ...record } of await readRawTopic(ready, topic))
    records.push({ ...record, value: await decode(value) })
  return records
}

export interface RawRecord extends Omit<DecodedRecord, 'value'> {
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** The same records without decoding, for topics that hold other values than our events. */
export async function readRawTopic(ready: ReadyLine, topic: string): Promise<RawRecord[]> {
  const kafka = clientOf(ready)
  const ends = await until(`the ends of ${topic}`, ENDS_PATIENCE_MS, () => endsOf(kafka, topic))
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
      const watch = (): void => {
        clearTimeout(stuck)
        stuck = setTimeout(
          () => reject(new Error(`reading ${topic} made no end: ${JSON.stringify([...missing])}`)),
          IDLE_MS,
        )
      }
      watch()
      consumer
        .run({
          autoCommit: false,
          eachBatch: ({ batch }) => {
            watch()
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
  const records: RawRecord[] = []
  for (const { partition, message } of raw) {
    const headers = Object.fromEntries(
      Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
    )
    const type = headers['ce_type'] ?? ''
    records.push({
      topic,
      partition,
      offset: Number(message.offset),
      key: message.key?.toString() ?? '',
      type,
      id: headers['ce_id'] ?? '',
      value: message.value!,
      headers,
    })
  }
  return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset)
}

/** The password in the installation's run.json; undefined if the broker asks for none. */
export function credentialsOf(ready: ReadyLine): SASLOptions | undefined {
  const run = JSON.parse(readFileSync(join(ready.home, 'run.json'), 'utf8')) as { kafkaSasl?: SASLOptions }
  return run.kafkaSasl
}

function clientOf(ready: ReadyLine): Kafka {
  const sasl = credentialsOf(ready)
  return new Kafka({
    clientId: 'system-test',
    brokers: [...ready.log.brokers!],
    logLevel: logLevel.NOTHING,
    ...(sasl === undefined ? {} : { sasl }),
  })
}

async function endsOf(kafka: Kafka, topic: string) {
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await admin.fetchTopicOffsets(topic)
  } finally {
    await admin.disconnect()
  }
}

/** Appends a record as any client with access to the broker can. */
export async function appendRecord(
  ready: ReadyLine,
  topic: string,
  record: {
    readonly key: string
    /** Null for a record without a value, which only a compacted topic has. */
    readonly value: string | Buffer | null
    readonly headers: Readonly<Record<string, string>>
    readonly partition?: number
  },
): Promise<void> {
  const kafka = clientOf(ready)
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  try {
    await producer.send({ topic, messages: [{ ...record, headers: { ...record.headers } }] })
  } finally {
    await producer.disconnect()
  }
}

/** The first record of each report id in its partition: the one that counts. */
export function effectiveReports(records: readonly DecodedRecord[]): Map<string, DecodedRecord> {
  const first = new Map<string, DecodedRecord>()
  for (const record of records) if (!first.has(record.key)) first.set(record.key, record)
  return first
}

interface Subject {
  readonly topic: string
  readonly record: string
  readonly visibility: 'public' | 'internal'
}

/** The event types of each public topic, as schemas/subjects.json states them. */
export function publicTopics(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(checkout, 'schemas/subjects.json'), 'utf8')
  const subjects = Object.values(JSON.parse(text) as Record<string, Subject>)
  const topics = new Map<string, string[]>()
  for (const { topic, record, visibility } of subjects)
    if (visibility === 'public') topics.set(topic, [...(topics.get(topic) ?? []), record])
  return topics
}
