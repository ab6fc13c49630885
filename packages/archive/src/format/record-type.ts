/** The Avro type of an archived record. */
import type { Headers, LogRecord } from '@cupel/event-log'
import avro from 'avsc'

/** Headers are stored in their order, because the MAC of a record covers it. */
interface StoredHeader {
  readonly name: string
  readonly value: string
}

export interface StoredRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Time of the event, for people who search; null if the record names none. */
  readonly timestamp: number | null
  readonly key: string
  readonly headers: readonly StoredHeader[]
  readonly value: Buffer
}

export const recordSchema = JSON.stringify({
  type: 'record',
  name: 'LogRecord',
  namespace: 'cupel.archive.v1',
  doc: 'One record of the log of an installation, with exactly its bytes.',
  fields: [
    { name: 'topic', type: 'string', doc: 'Without the prefix of the installation.' },
    { name: 'partition', type: 'int' },
    { name: 'offset', type: 'long' },
    {
      name: 'timestamp',
      type: ['null', { type: 'long', logicalType: 'timestamp-millis' }],
      doc: 'The header ce_time; null if it states none.',
    },
    { name: 'key', type: 'string' },
    {
      name: 'headers',
      doc: 'In their order.',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'Header',
          fields: [
            { name: 'name', type: 'string' },
            { name: 'value', type: 'string' },
          ],
        },
      },
    },
    { name: 'value', type: 'bytes', doc: 'Confluent wire format: 0, schema id, Avro.' },
  ],
})

export const recordType = avro.Type.forSchema(JSON.parse(recordSchema) as avro.Schema, {
  wrapUnions: 'never',
  omitRecordMethods: true,
})

const TIME_HEADER = 'ce_time'

export function storedOf({ topic, partition, offset, key, headers, value }: LogRecord): StoredRecord {
  const stored: StoredHeader[] = []
  for (const name in headers) stored.push({ name, value: headers[name]! })
  return { topic, partition, offset, timestamp: timeOf(headers), key, headers: stored, value }
}

export function recordOf({ topic, partition, offset, key, headers, value }: StoredRecord): LogRecord {
  const named = Object.fromEntries(headers.map(({ name, value: text }) => [name, text]))
  return { topic, partition, offset, key, value, headers: named }
}

/** Whether the stored time equals the time that the record states. */
export function hasOwnTime({ timestamp, headers }: StoredRecord): boolean {
  const text = headers.find(({ name }) => name === TIME_HEADER)?.value
  return timestamp === (text === undefined ? null : millisOf(text))
}

function timeOf(headers: Headers): number | null {
  const text = headers[TIME_HEADER]
  return text === undefined ? null : millisOf(text)
}

function millisOf(text: string): number | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
