import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventSchemas, type EventType } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createEventCodec } from '../event-codec.js'
import type { LogRecord } from '../port.js'
import { avroType, schemaSha256 } from './avro.js'

const golden = fileURLToPath(new URL('../../../../schemas/golden/', import.meta.url))
const events = Object.keys(eventSchemas) as EventType[]

interface Sample {
  readonly name: string
  readonly event: EventType
  readonly schema: string
  readonly payload: Buffer
  readonly data: object
}

function samplesOf(event: EventType): Sample[] {
  const folder = `${golden}${event}/`
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.bin'))
    .map((file) => {
      const path = folder + file.slice(0, -'.bin'.length)
      const data = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as object
      const schema = readFileSync(`${path}.avsc`, 'utf8')
      return { name: `${event}/${file}`, event, schema, payload: readFileSync(`${path}.bin`), data }
    })
}
const samples = events.flatMap(samplesOf)

test.each(events)('%s has a sample written with its present schema', (event) => {
  const present = samplesOf(event).some(
    (sample) => schemaSha256(sample.schema) === schemaSha256(eventSchemas[event].schema),
  )
  const command = `node packages/event-log/scripts/golden-sample.mjs ${event} data.json --replace`
  expect(present, `Write one (without --replace where the newest is released): ${command}`).toBe(true)
})

test('every sample belongs to an event: one that is no longer written must still be read', () => {
  const folders = readdirSync(golden, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).filter((name) => !(events as string[]).includes(name))).toEqual([])
})

test.each(samples)('$name says what it said when it was written', ({ schema, payload, data }) => {
  const type = avroType(schema)
  expect(type.fromBuffer(payload)).toEqual(data)
  expect(type.toBuffer(data)).toEqual(payload)
})

test.each(samples)('$name is read by this release', (sample) => {
  const read = decode(sample)
  expect(common(read, sample.data)).toEqual(common(sample.data, read))
  // Fields that the sample does not have get the default of the present schema, so the event can be written again.
  expect(avroType(eventSchemas[sample.event].schema).isValid(read)).toBe(true)
})

/** Decodes a record as a service does: the catalogue provides the schema that the record was written with. */
function decode({ event, schema, payload }: Sample): object {
  const writerId = 1_000
  const codec = createEventCodec({
    idOf: () => 1,
    schemaOf: (id) => (id === writerId ? schema : undefined),
    refresh: async () => undefined,
  })
  const prefix = Buffer.alloc(5)
  prefix.writeInt32BE(writerId, 1)
  const names = ['ce_id', 'ce_source', 'ce_time', 'ce_subject', 'correlationid', 'causationid']
  const headers = { ...Object.fromEntries(names.map((name) => [name, 'golden'])), ce_type: event }
  const record: LogRecord = {
    topic: 'golden',
    partition: 0,
    offset: 0,
    key: '',
    value: Buffer.concat([prefix, payload]),
    headers,
  }
  return codec.decode(record).data
}

/** The part of `value` that `other` also has: schemas gain and lose optional fields over time. */
function common(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other))
    return value.map((each, index) => common(each, other[index]))
  if (value === null || other === null || typeof value !== 'object' || typeof other !== 'object') return value
  const known = other as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name in known)
      .map(([name, field]) => [name, common(field, known[name])]),
  )
}

test('every field of every event has a default, so that it can be added and removed', () => {
  const lacking: string[] = []
  const visit = (schema: unknown, path: string): void => {
    if (Array.isArray(schema)) return schema.forEach((branch) => visit(branch, path))
    if (typeof schema !== 'object' || schema === null) return
    const { type, items, values, fields } = schema as Record<string, unknown>
    for (const field of (fields ?? []) as { name: string; type: unknown }[]) {
      if (!('default' in field)) lacking.push(`${path}.${field.name}`)
      visit(field.type, `${path}.${field.name}`)
    }
    for (const inner of [type, items, values]) if (typeof inner === 'object') visit(inner, path)
  }
  for (const event of events) visit(JSON.parse(eventSchemas[event].schema), event)
  expect(lacking).toEqual([])
})
