/**
 * Prints the outcome of each screening once, as a line of JSON.
 *
 *   node report-subscriber.mjs                  follow the topic; settings are environment variables, see README.md
 *   node report-subscriber.mjs golden FOLDER    decode the samples of each event in FOLDER (schemas/golden of the product)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RecordVerifier } from '@cupel/sdk'
import avro from 'avsc'
import { Kafka, logLevel } from 'kafkajs'

const schemas = join(import.meta.dirname, '../reader-schemas')
const readers = Object.fromEntries(
  ['ReportGenerated', 'ScreeningFailed'].map((type) => [
    type,
    avro.Type.forSchema(JSON.parse(readFileSync(join(schemas, `${type}.avsc`), 'utf8'))),
  ]),
)

/** Bytes that one schema wrote, as another one reads them: new fields of the writer are skipped. */
export function createDecoder(reader, writerSchema) {
  const writer = avro.Type.forSchema(JSON.parse(writerSchema))
  const resolver = reader.createResolver(writer)
  return (payload) => reader.fromBuffer(payload, resolver)
}

/**
 * The first outcome with a report id is the outcome of the screening, whatever comes later. A subscriber with a database keeps the ids
 * there, as a unique key, in one transaction with the offset.
 */
export class FirstOutcomes {
  #seen = new Set()

  take(reportId) {
    if (this.#seen.has(reportId)) return false
    this.#seen.add(reportId)
    return true
  }
}

export function lineOf(type, { reportId, accountId, livemode, ...rest }) {
  const common = { type, report_id: reportId, account_id: accountId, livemode }
  if (type === 'ScreeningFailed') return JSON.stringify({ ...common, code: rest.code })
  const { address, chain, level, score } = rest
  return JSON.stringify({ ...common, address, chain, level, score })
}

function decodeGolden(folder) {
  for (const [type, reader] of Object.entries(readers))
    for (const name of readdirSync(join(folder, type)).filter((file) => file.endsWith('.bin'))) {
      const base = join(folder, type, name.slice(0, -'.bin'.length))
      const decode = createDecoder(reader, readFileSync(`${base}.avsc`, 'utf8'))
      console.log(lineOf(type, decode(readFileSync(`${base}.bin`))))
    }
}

/** A zero byte, the id of the writer's schema in four bytes, Avro. */
function createWireDecoder(registry) {
  const decoders = new Map()
  return async (type, value) => {
    if (value[0] !== 0) throw new Error('the record does not have the wire format of a schema registry')
    const id = value.readInt32BE(1)
    if (!decoders.has(id)) {
      const response = await fetch(`${registry}/schemas/ids/${id}`)
      if (!response.ok) throw new Error(`the registry answers ${response.status} for schema ${id}`)
      decoders.set(id, createDecoder(readers[type], (await response.json()).schema))
    }
    return decoders.get(id)(value.subarray(5))
  }
}

/** Undefined where the operator of this subscriber accepts records of any producer. */
function createVerifier() {
  const { CHECK_SIGNATURES = 'true', PUBLIC_KEYS, LOG_ID, TOPIC_PREFIX } = process.env
  if (CHECK_SIGNATURES !== 'true') return undefined
  const publicKeys = readFileSync(PUBLIC_KEYS, 'utf8')
  return new RecordVerifier({ publicKeys, logs: LOG_ID.split(','), topicPrefix: TOPIC_PREFIX })
}

async function follow() {
  const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, KAFKA_USERNAME, KAFKA_PASSWORD, KAFKA_TLS } = process.env
  const topic = process.env.TOPIC ?? 'screening.report.events.v1'
  const kafka = new Kafka({
    clientId: 'report-subscriber',
    brokers: KAFKA_BROKERS.split(','),
    logLevel: logLevel.ERROR,
    ssl: KAFKA_TLS === 'true',
    ...(KAFKA_USERNAME === undefined
      ? {}
      : { sasl: { mechanism: 'plain', username: KAFKA_USERNAME, password: KAFKA_PASSWORD } }),
  })
  const verifier = createVerifier()
  const decode = createWireDecoder(SCHEMA_REGISTRY_URL)
  const outcomes = new FirstOutcomes()
  const missing = process.env.STOP_AT_END === 'true' ? await endsOf(kafka, topic) : undefined
  const consumer = kafka.consumer({ groupId: process.env.GROUP_ID ?? 'report-subscriber' })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await new Promise((resolve, reject) => {
    const stopAtEnd = () => missing?.size === 0 && resolve()
    stopAtEnd()
    // kafkajs repeats what throws and then restarts; this subscriber rather ends, so that somebody sees why.
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
    consumer
      .run({
        eachBatch: async ({ batch, resolveOffset }) => {
          for (const { headers, key, value, offset } of batch.messages) {
            // A record that the installation did not write ends the subscriber, before anything of it is believed.
            await verifier?.verify({ topic, key, value, headers })
            const type = String(headers.ce_type)
            // An event that a later version adds to the topic is none of this subscriber's.
            if (type in readers) {
              const event = await decode(type, value)
              if (outcomes.take(event.reportId)) console.log(lineOf(type, event))
            }
            resolveOffset(offset)
          }
          if (BigInt(batch.lastOffset()) + 1n >= (missing?.get(batch.partition) ?? 0n))
            missing?.delete(batch.partition)
          stopAtEnd()
        },
      })
      .catch(reject)
  })
  await consumer.disconnect()
}

/** Partitions with records, by the offset after their last one. */
async function endsOf(kafka, topic) {
  const admin = kafka.admin()
  await admin.connect()
  const ends = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  const filled = ends.filter(({ high, low }) => high !== low)
  return new Map(filled.map(({ partition, high }) => [partition, BigInt(high)]))
}

const [command, folder] = process.argv.slice(2)
if (command === 'golden') decodeGolden(folder)
else await follow()
