import { eventSchemas, type DomainEvent } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { openTestDatabase, type OpenTestDatabase } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  IncompatibleSchemaError,
  loadSchemaCatalog,
  registerSchemas,
  type LogRecord,
  type SchemaRegistry,
} from '../index.js'

let opened: OpenTestDatabase
let database: Database
beforeEach(async () => {
  opened = await openTestDatabase([eventLogMigrations])
  ;({ database } = opened)
})
afterEach(() => opened.close())

const { subject } = eventSchemas.ScreeningFailed
interface RecordSchema {
  fields: { name: string; type: unknown; default?: unknown }[]
}
const schemaNow = () => JSON.parse(eventSchemas.ScreeningFailed.schema) as RecordSchema
/** The schema of an earlier or later release. */
const changed = (change: (schema: RecordSchema) => void): string => {
  const schema = schemaNow()
  change(schema)
  return JSON.stringify(schema)
}
const failed: DomainEvent<'ScreeningFailed'> = {
  type: 'ScreeningFailed',
  envelope: {
    id: 'a7b2f2d4-3b2e-5d3e-9d46-6f2f1c1f0a01',
    source: 'cupel/scorer',
    time: '2026-11-21T09:00:00.000Z',
    subject: '9f2c4a1be07d6358',
    correlationId: 'req_1',
    causationId: 'req_1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  data: {
    reportId: '9f2c4a1be07d6358',
    accountId: 'acc_1',
    livemode: true,
    code: 'unavailable',
    detail: 'The label view is missing.',
    jobId: null,
    isTransfer: false,
    jobIndex: null,
    failedAt: '2026-11-21T09:00:00.000Z',
  },
}
/** Registers a schema of `subject`; resolves to its id. */
const register = async (schema: string): Promise<number> =>
  (await builtInRegistry(database).register([{ subject, schema }]))[0]!.id
const target = { topic: eventSchemas.ScreeningFailed.topic, key: failed.data.reportId, partition: 8 }
const stored = (record: ReturnType<ReturnType<typeof createEventCodec>['encode']>): LogRecord => ({
  ...record,
  partition: 8,
  offset: 0,
})

test('after registration every event can be encoded and decoded with only the table', async () => {
  const registry = builtInRegistry(database)
  await registerSchemas({ database, registry })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  expect(codec.decode(stored(codec.encode(failed, target)))).toEqual(failed)
})

test('registering again gives the same ids and adds nothing', async () => {
  const registry = builtInRegistry(database)
  await registerSchemas({ database, registry })
  const rows = await database.query(
    'SELECT subject, version, schema_id FROM log.schema_version ORDER BY 1, 2',
  )
  await Promise.all([registerSchemas({ database, registry }), registerSchemas({ database, registry })])
  expect(
    await database.query('SELECT subject, version, schema_id FROM log.schema_version ORDER BY 1, 2'),
  ).toEqual(rows)
  expect(rows).toHaveLength(Object.keys(eventSchemas).length)
})

test('a record of an earlier release decodes with the defaults of what was added since', async () => {
  const registry = builtInRegistry(database)
  const earlier = changed((schema) => {
    schema.fields = schema.fields.filter((field) => field.name !== 'jobIndex')
  })
  const earlierId = await register(earlier)
  await registerSchemas({ database, registry })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const record = stored(codec.encode(failed, target))
  expect(record.value!.readInt32BE(1)).not.toBe(earlierId)

  // jobIndex: null is one zero byte before the last field. The earlier release did not write it.
  const lastField = Buffer.byteLength(failed.data.failedAt) + 1
  const cut = record.value!.length - lastField - 1
  const value = Buffer.concat([record.value!.subarray(0, cut), record.value!.subarray(cut + 1)])
  value.writeInt32BE(earlierId, 1)
  expect(codec.decode({ ...record, value })).toEqual(failed)
})

test('a service that started before a newer release registered reads its records after one refresh', async () => {
  const registry = builtInRegistry(database)
  await registerSchemas({ database, registry })
  const catalog = await loadSchemaCatalog(database)
  const codec = createEventCodec(catalog)
  const newerId = await register(
    changed((schema) => schema.fields.push({ name: 'hint', type: 'string', default: '' })),
  )
  const record = stored(codec.encode(failed, target))
  const value = Buffer.concat([record.value!, Buffer.from('\u0008seen')])
  value.writeInt32BE(newerId, 1)
  expect(() => codec.decode({ ...record, value })).toThrow(
    expect.objectContaining({ reason: 'unknown-schema' }),
  )
  await catalog.refresh()
  expect(codec.decode({ ...record, value })).toEqual(failed)
})

test.each([
  [
    'a field without default',
    (schema: RecordSchema) => void schema.fields.push({ name: 'hint', type: 'string' }),
  ],
  [
    'another type',
    (schema: RecordSchema) => void Object.assign(schema.fields[2]!, { type: 'string', default: '' }),
  ],
  [
    'a narrower type',
    (schema: RecordSchema) => void (schema.fields.find((field) => field.name === 'jobIndex')!.type = 'null'),
  ],
  [
    'a wider type',
    (schema: RecordSchema) =>
      void (schema.fields.find((field) => field.name === 'jobIndex')!.type = ['null', 'int', 'string']),
  ],
])('%s is refused, and nothing is registered', async (_, change) => {
  const registry = builtInRegistry(database)
  await registerSchemas({ database, registry })
  const refusal = register(changed(change))
  await expect(refusal).rejects.toThrow(IncompatibleSchemaError)
  await expect(refusal).rejects.toThrow(
    /^(The changed schema of|Readers of version 1 of) screening\.report.*\.$/s,
  )
  expect(await registry.versions(subject)).toHaveLength(1)
})

test('a schema that is not an Avro schema is refused by name', async () => {
  const wrong = changed((schema) => Object.assign(schema.fields[2]!, { default: 'neither' }))
  await expect(register(wrong)).rejects.toThrow(/^The schema of screening\.report.* is not valid/)
})

test('compatibility is judged against every earlier version, not only the last', async () => {
  const field = (type: unknown, value: unknown) =>
    changed((schema) => schema.fields.push({ name: 'hint', type, default: value }))
  await register(field('string', ''))
  await register(changed(() => undefined))
  await expect(register(field('int', 0))).rejects.toThrow(/version 1/)
})

test('white space makes no new version', async () => {
  const id = await register(eventSchemas.ScreeningFailed.schema)
  expect(await register(JSON.stringify(schemaNow(), null, 4))).toBe(id)
})

test('versions of a registry that notes schemas in its own way are found by their own text', async () => {
  const renoted = JSON.stringify({ ...schemaNow(), doc: 'As this registry notes it.' })
  const registry = renotingRegistry(renoted)
  await registerSchemas({ database, registry })
  await registerSchemas({ database, registry })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  expect(codec.decode(stored(codec.encode(failed, target)))).toEqual(failed)
})

test('of two versions with one schema, as where one was deleted and registered again, the later one counts', async () => {
  const registry = renotingRegistry(eventSchemas.ScreeningFailed.schema)
  await registerSchemas({
    database,
    registry: {
      ...registry,
      register: async (schemas) =>
        (await registry.register(schemas)).map((one) => ({
          ...one,
          versions: one.versions.flatMap((version) => [version, { ...version, version: 3 }]),
        })),
    },
  })
  const versions = await database.query<{ version: number }>('SELECT version FROM log.schema_version')
  expect(versions.map(({ version }) => version)).toEqual(Object.keys(eventSchemas).map(() => 3))
})

test('the schemas of another registry do not take the place of those that records were written with', async () => {
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const before = await database.query('SELECT * FROM log.schema ORDER BY id')
  let ids = Object.keys(eventSchemas).length + 1
  const reversed = new Map(
    Object.values(eventSchemas).map((each) => [
      each.subject as string,
      { id: --ids, version: 1, schema: each.schema },
    ]),
  )
  const registry: SchemaRegistry = {
    subjects: async () => [...reversed.keys()],
    versions: async (of) => [reversed.get(of)!],
    register: async (schemas) =>
      schemas.map((one) => {
        const version = reversed.get(one.subject)!
        return { ...one, id: version.id, versions: [version] }
      }),
  }
  await expect(registerSchemas({ database, registry })).rejects.toThrow(/belongs to another registry/)
  expect(await database.query('SELECT * FROM log.schema ORDER BY id')).toEqual(before)
})

test('without registration a codec says what is missing', async () => {
  const catalog = await loadSchemaCatalog(database)
  expect(() => createEventCodec(catalog)).toThrow(/not registered/)
})

/** Lists the schema of one subject in another notation, as a registry that normalises does. It stores nothing in the database. */
function renotingRegistry(renoted: string): SchemaRegistry {
  const subjects = Object.values(eventSchemas).map((each) => each.subject as string)
  const noted = (of: string, schema: string) => {
    const id = subjects.indexOf(of) + 1
    return { id, version: 1, schema: of === subject ? renoted : schema }
  }
  return {
    subjects: async () => subjects,
    versions: async (of) => [noted(of, eventSchemas.ScreeningFailed.schema)],
    register: async (schemas) =>
      schemas.map((one) => {
        const version = noted(one.subject, one.schema)
        return { ...one, id: version.id, versions: [version] }
      }),
  }
}
