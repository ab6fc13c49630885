import { silentLogger } from '@cupel/contracts'
import { builtInRegistry, eventLogMigrations, type SchemaRegistry } from '@cupel/event-log'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureSchemas } from './foundation.js'

let opened: { readonly test: TestDatabase; readonly database: Database }[]
beforeEach(() => {
  opened = []
})
afterEach(async () => {
  for (const { test, database } of opened) {
    await database.close()
    await test.drop()
  }
})

async function emptyDatabase(): Promise<Database> {
  const test = await createTestDatabase()
  const { connectionString } = test
  const database = openDatabase({ connectionString, maxConnections: 2, applicationName: 'test' })
  opened.push({ test, database })
  await migrate(database, await readMigrations([eventLogMigrations]))
  return database
}

/** Counts the calls that register. */
function counted(registry: SchemaRegistry): { readonly registry: SchemaRegistry; calls: number } {
  const counts = {
    calls: 0,
    registry: {
      ...registry,
      register: (schemas: Parameters<SchemaRegistry['register']>[0]) => {
        counts.calls += 1
        return registry.register(schemas)
      },
    },
  }
  return counts
}

test('schemas are registered by the first start, and by no later one', async () => {
  const database = await emptyDatabase()
  const counts = counted(builtInRegistry(await emptyDatabase()))
  const parts = { database, registry: counts.registry, logger: silentLogger }
  await ensureSchemas(parts)
  expect(counts.calls).toBe(1)
  await ensureSchemas(parts)
  expect(counts.calls).toBe(1)
})

test('a registry that lost its database is given every schema again, under the same ids', async () => {
  const database = await emptyDatabase()
  const logger = silentLogger
  await ensureSchemas({ database, registry: builtInRegistry(await emptyDatabase()), logger })
  const before = await database.query('SELECT subject, schema_id FROM log.schema_version ORDER BY subject')
  const counts = counted(builtInRegistry(await emptyDatabase()))
  await ensureSchemas({ database, registry: counts.registry, logger })
  expect(counts.calls).toBe(1)
  expect(await database.query('SELECT subject, schema_id FROM log.schema_version ORDER BY subject')).toEqual(
    before,
  )
})

test('a database without the schemas gets them from a registry that has them', async () => {
  const registry = builtInRegistry(await emptyDatabase())
  await ensureSchemas({ database: await emptyDatabase(), registry, logger: silentLogger })
  const database = await emptyDatabase()
  await ensureSchemas({ database, registry, logger: silentLogger })
  expect(await database.query('SELECT FROM log.schema_version')).not.toEqual([])
})
