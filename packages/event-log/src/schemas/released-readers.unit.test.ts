/**
 * Subscribers read with schemas of old releases for years. Here each released schema is the reader and reads every event of today. A field
 * that it names must have the value that it has in the event.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventSchemas, type EventType } from '@cupel/contracts'
import { describe, expect, test } from 'vitest'
import { avroType, schemaSha256 } from './avro.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const textOf = (name: string): string => readFileSync(root + name, 'utf8')
const releases = JSON.parse(textOf('releases.json')) as Record<string, { files: Record<string, string> }>
const RELEASED = /^schemas\/golden\/(?<event>[A-Za-z]+)\/(?<number>\d+)\.avsc$/

interface Reader {
  readonly event: EventType
  readonly number: string
  readonly schema: string
}
interface Sample {
  readonly schema: string
  readonly payload: Buffer
  readonly data: unknown
}

/** The distinct schemas of the releases. */
const readers: readonly Reader[] = [
  ...new Set(Object.values(releases).flatMap(({ files }) => Object.keys(files))),
]
  .map((name) => ({ name, groups: RELEASED.exec(name)?.groups }))
  .flatMap(({ name, groups }) =>
    groups === undefined
      ? []
      : [{ event: groups['event'] as EventType, number: groups['number']!, schema: textOf(name) }],
  )

/** The samples of an event that were written with its present schema. */
function samplesOfToday(event: EventType): Sample[] {
  const folder = `schemas/golden/${event}/`
  const present = schemaSha256(eventSchemas[event].schema)
  return readdirSync(root + folder)
    .filter((name) => name.endsWith('.avsc') && schemaSha256(textOf(folder + name)) === present)
    .map((name) => folder + name.slice(0, -'.avsc'.length))
    .map((name) => ({
      schema: textOf(`${name}.avsc`),
      payload: readFileSync(`${root}${name}.bin`),
      data: JSON.parse(textOf(`${name}.json`)) as unknown,
    }))
}

/** The data of a record that a reader with this schema misses; null if none. */
function missedBy(reader: string, { schema, payload, data }: Sample): string | null {
  try {
    const type = avroType(reader)
    const read: unknown = type.fromBuffer(payload, type.createResolver(avroType(schema)))
    return differenceOf(JSON.parse(JSON.stringify(read)), data, '')
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`
  }
}

/** The first value read that differs from the record. Fields that the reader does not name are not compared. */
function differenceOf(read: unknown, said: unknown, path: string): string | null {
  if (typeof read !== 'object' || read === null || typeof said !== 'object' || said === null)
    return Object.is(read, said)
      ? null
      : `${path} is read as ${JSON.stringify(read)}, and says ${JSON.stringify(said)}`
  if (Array.isArray(read) && (!Array.isArray(said) || read.length !== said.length))
    return `${path} has ${read.length} entries`
  for (const [name, value] of Object.entries(read)) {
    if (!(name in said)) return `${path}.${name} is gone, and is read as its default`
    const difference = differenceOf(value, (said as Record<string, unknown>)[name], `${path}.${name}`)
    if (difference !== null) return difference
  }
  return null
}

test.each(Object.entries(releases))('there are readers of release %s', (_version, { files }) => {
  expect(Object.keys(files).filter((name) => RELEASED.test(name)).length).toBeGreaterThan(20)
})

test.each(readers)(
  'a reader with the released schema $number of $event reads the event of today',
  ({ event, schema }) => {
    const samples = samplesOfToday(event)
    expect(samples.length).toBeGreaterThan(0)
    expect(samples.map((sample) => missedBy(schema, sample))).toEqual(samples.map(() => null))
  },
)

describe('a schema that breaks readers of an earlier release is refused', () => {
  type Field = Record<string, unknown> & { readonly name: string }
  const { schema } = eventSchemas.ScreeningFailed
  const [sample] = samplesOfToday('ScreeningFailed')

  /** The event as this release would write it if its schema had these fields. */
  function writtenWith(change: (fields: readonly Field[]) => readonly Field[], data: object): Sample {
    const record = JSON.parse(sample!.schema) as { fields: readonly Field[] }
    const changed = JSON.stringify({ ...record, fields: change(record.fields) })
    return { schema: changed, payload: avroType(changed).toBuffer(data), data }
  }
  const data = sample!.data as Record<string, unknown>
  const without = (name: string): object =>
    Object.fromEntries(Object.entries(data).filter(([key]) => key !== name))

  test('an added field is not a break', () => {
    const added = { name: 'hint', type: 'string', default: '' }
    expect(
      missedBy(
        schema,
        writtenWith((fields) => [...fields, added], { ...data, hint: 'x' }),
      ),
    ).toBeNull()
  })

  test('a field that was removed', () => {
    const removed = writtenWith((fields) => fields.filter(({ name }) => name !== 'code'), without('code'))
    expect(missedBy(schema, removed)).toContain('code is gone')
  })

  test('a field with another name', () => {
    const renamed = writtenWith(
      (fields) => fields.map((field) => (field.name === 'code' ? { ...field, name: 'problem' } : field)),
      { ...without('code'), problem: 'x' },
    )
    expect(missedBy(schema, renamed)).toContain('code is gone')
  })

  test('a field of another type', () => {
    const retyped = writtenWith(
      (fields) =>
        fields.map((field) => (field.name === 'code' ? { ...field, type: 'int', default: 0 } : field)),
      { ...data, code: 7 },
    )
    expect(missedBy(schema, retyped)).toContain('it cannot be read')
  })

  test('a field that may be null now', () => {
    const nullable = { type: ['null', 'string'], default: null }
    const opened = writtenWith(
      (fields) => fields.map((field) => (field.name === 'code' ? { ...field, ...nullable } : field)),
      { ...data, code: null },
    )
    expect(missedBy(schema, opened)).toContain('it cannot be read')
  })
})
