import { createTestDatabase, until, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, openDatabase, type Database } from './index.js'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({
    connectionString: database.connectionString,
    maxConnections: 4,
    applicationName: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a migration lets go of tables that services need while it waits for another one, and ends when it gets all', async () => {
  await db.execute('CREATE TABLE first (n int8)')
  await db.execute('CREATE TABLE second (n int8)')
  const sql = 'ALTER TABLE first ADD COLUMN m int8; ALTER TABLE second ADD COLUMN m int8'
  let migrating: Promise<string[]> | undefined
  await db.transaction({ at: 'test' }, async (service) => {
    await service.execute('INSERT INTO second VALUES (1)')
    migrating = migrate(db, [{ id: 'test/0001', sql }])
    await until(async () =>
      expect(
        await db.query("SELECT 1 FROM pg_locks WHERE relation = 'second'::regclass AND NOT granted"),
      ).toHaveLength(1),
    )
    // With the tables in the other order, a deadlock would end one of the two.
    await service.execute('INSERT INTO first VALUES (1)')
  })
  expect(await migrating).toEqual(['test/0001'])
  expect(await db.query('SELECT f.n, f.m, s.m AS other FROM first f, second s')).toEqual([
    { n: 1, m: null, other: null },
  ])
})
