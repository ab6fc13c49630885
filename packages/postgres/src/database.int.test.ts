import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from './index.js'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({
    connectionString: database.connectionString,
    maxConnections: 2,
    applicationName: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a transaction that throws leaves nothing behind', async () => {
  await db.execute('CREATE TABLE t (n int8)')
  const attempt = db.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('INSERT INTO t VALUES (1)')
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect(await db.query('SELECT n FROM t')).toEqual([])
})

test('a bigint beyond 2^53 is refused, not rounded', async () => {
  await expect(db.query('SELECT 9007199254740993::int8 AS n')).rejects.toThrow(RangeError)
  expect(await db.query('SELECT 9007199254740991::int8 AS n')).toEqual([{ n: Number.MAX_SAFE_INTEGER }])
})
