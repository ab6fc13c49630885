import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { SchemaRegistry as ConfluentClient } from '@kafkajs/confluent-schema-registry'
import { eventSchemas, type DomainEvent, type EventType } from '@cupel/contracts'
import { migrate, openDatabase, readMigrations } from '@cupel/postgres'
import { createTestDatabase } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { createEventCodec, eventLogMigrations, loadSchemaCatalog, registerSchemas } from '../index.js'
import { IncompatibleSchemaError, type RegisteredSubject } from '../schemas/schema-registry.js'
import { confluentRegistry } from './confluent-registry.js'

const url = process.env['CUPEL_TEST_REGISTRY_URL'] ?? ''
/** When KAFKA_BROKERS is set, the registry must be set too. */
const missing =
  process.env['CUPEL_TEST_KAFKA_MISSING'] ?? (url === '' ? 'SCHEMA_REGISTRY_URL is not set' : undefined)

const schema = (...fields: readonly object[]): string =>
  JSON.stringify({ type: 'record', name: 'Happened', namespace: 'cupel.test', fields })
const FIELD_A = { name: 'a', type: 'string', default: '' }
const SUBJECTS_AT_ONCE = 12
const INSTALLATIONS = 3
const FIELD_B = { name: 'b', type: 'long', default: 0 }

describe.skipIf(missing !== undefined)(
  `The schema registry${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const registry = confluentRegistry({ url })
    const register = async (subject: string, text: string): Promise<RegisteredSubject> =>
      (await registry.register([{ subject, schema: text }]))[0]!
    const newSubject = (): string => `registry-test.${randomBytes(6).toString('hex')}.v1-Happened`

    test('every version is listed, oldest first, and registering again finds what is there', async () => {
      const subject = newSubject()
      expect(await registry.versions(subject)).toEqual([])
      const { id: first } = await register(subject, schema(FIELD_A))
      const { id: second } = await register(subject, schema(FIELD_A, FIELD_B))
      const { id: again, versions } = await register(subject, schema(FIELD_A))
      expect(again).toBe(first)
      expect(await registry.subjects()).toContain(subject)
      expect(versions.map(({ id, version }) => ({ id, version }))).toEqual([
        { id: first, version: 1 },
        { id: second, version: 2 },
      ])
      expect(JSON.parse(versions[1]!.schema)).toEqual(JSON.parse(schema(FIELD_A, FIELD_B)))
    })

    test('the first schema of a subject puts it under FULL_TRANSITIVE', async () => {
      const subject = newSubject()
      await register(subject, schema(FIELD_A))
      const response = await fetch(`${url}/config/${encodeURIComponent(subject)}`)
      expect(await response.json()).toMatchObject({ compatibilityLevel: 'FULL_TRANSITIVE' })
    })

    test('installations that register the same new subjects at the same moment agree', async () => {
      const subjects = Array.from({ length: SUBJECTS_AT_ONCE }, newSubject)
      const schemas = subjects.map((subject) => ({ subject, schema: schema(FIELD_A) }))
      const others = Array.from({ length: INSTALLATIONS }, () => confluentRegistry({ url }))
      const registered = await Promise.all(others.map((each) => each.register(schemas)))
      const [first, ...rest] = registered.map((each) => each.map(({ id }) => id))
      for (const ids of rest) expect(ids).toEqual(first)
      for (const subject of subjects) {
        expect(await registry.versions(subject)).toHaveLength(1)
        const response = await fetch(`${url}/config/${encodeURIComponent(subject)}`)
        expect(await response.json()).toMatchObject({ compatibilityLevel: 'FULL_TRANSITIVE' })
      }
    })

    test('a change that old readers or new ones could not follow is refused with a sentence', async () => {
      const subject = newSubject()
      await register(subject, schema(FIELD_A))
      await register(subject, schema(FIELD_A, FIELD_B))
      for (const incompatible of [
        schema({ name: 'a', type: 'long', default: 0 }),
        schema(FIELD_A, { name: 'c', type: 'string' }),
        // Compatibility with only the latest version is not enough: the first version has no b.
        schema(FIELD_A, { name: 'b', type: 'long' }),
      ]) {
        const attempt = register(subject, incompatible)
        await expect(attempt).rejects.toThrow(IncompatibleSchemaError)
        await expect(attempt).rejects.toThrow(
          `The schema of ${subject} cannot be read together with an earlier version`,
        )
      }
      expect((await register(subject, schema(FIELD_A))).versions).toHaveLength(2)
    })

    test('an incompatible change of a real event is refused', async () => {
      const { subject, schema: text } = eventSchemas.ReportGenerated
      await register(subject, text)
      const changed = JSON.parse(text) as { fields: object[] }
      changed.fields.push({ name: 'mandatory', type: 'string' })
      await expect(register(subject, JSON.stringify(changed))).rejects.toThrow(IncompatibleSchemaError)
    })

    test('a registry that cannot be reached is named', async () => {
      const nobody = confluentRegistry({ url: 'http://127.0.0.1:1' })
      await expect(nobody.register([{ subject: 'any', schema: schema(FIELD_A) }])).rejects.toThrow(
        /^The schema registry at http:\/\/127\.0\.0\.1:1 cannot be reached: /,
      )
    })

    test('registered once, the schemas are in the database: services need no registry to decode', async () => {
      const { connectionString, drop } = await createTestDatabase()
      const database = openDatabase({ connectionString, maxConnections: 2, applicationName: 'registry-test' })
      try {
        await migrate(database, await readMigrations([eventLogMigrations]))
        await registerSchemas({ database, registry })
        // From here on the catalogue queries only the database: it has no other source.
        const codec = createEventCodec(await loadSchemaCatalog(database))
        const client = new ConfluentClient({ host: url })
        for (const event of samples()) {
          const record = codec.encode(event, { topic: eventSchemas[event.type].topic, key: 'k' })
          const read = { ...record, partition: 0, offset: 0 }
          expect(codec.decode(read)).toEqual(event)
          // The ids come from the registry, so any Confluent client reads our records.
          expect({ ...(await client.decode(record.value!)) }).toEqual(event.data)
        }
      } finally {
        await database.close()
        await drop()
      }
    })
  },
)

/** One event of every type, with the data of its newest golden sample. */
function samples(): DomainEvent[] {
  return (Object.keys(eventSchemas) as EventType[]).map((type) => {
    const folder = new URL(`../../../../schemas/golden/${type}/`, import.meta.url)
    const newest = readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort()
      .at(-1)!
    const data: unknown = JSON.parse(readFileSync(new URL(newest, folder), 'utf8'))
    const envelope = {
      id: 'c6a2f5de-5d6c-5c0e-8a39-1f6b7c1b2a55',
      source: 'cupel/test',
      time: '2026-11-21T12:00:00.000Z',
      subject: 's',
      correlationId: 'c6a2f5de-5d6c-5c0e-8a39-1f6b7c1b2a56',
      causationId: 'c6a2f5de-5d6c-5c0e-8a39-1f6b7c1b2a57',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    return { type, data, envelope } as DomainEvent
  })
}
