import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, migratedTemplate, type TestDatabase } from '@cupel/testkit'
import { openDatabase, type Database } from '@cupel/postgres'
import { labelsMigrations } from '../../src/migrations.js'
import { createSpools, SPOOL_BUCKETS } from '../../src/import/label-spool.js'

const LABELS = 12_345

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase(await migratedTemplate([labelsMigrations]))
  database = openDatabase({
    ...{ connectionString: testDatabase.connectionString, maxConnections: 4, applicationName: 'test' },
    statementTimeoutMs: 0,
  })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

interface Thing {
  readonly identity: string
  readonly number: number
}

test.each([
  ['in memory', 1_000_000, true],
  ['in a table', 100, false],
])(
  'a spool %s gives every label back once, in its bucket, in the order it came',
  async (_where, limit, inMemory) => {
    await database.withConnection(async (connection) => {
      const spools = createSpools(connection, limit)
      const spool = spools.create<Thing>()
      const other = spools.create<Thing>()
      other.add('another', { identity: 'another', number: -1 })
      for (let number = 0; number < LABELS; number += 1) {
        // Every identity comes three times; equal ones must meet in one bucket.
        const identity = `address-${number % (LABELS / 3)}`
        spool.add(identity, { identity, number })
        if (number % 1_000 === 0) await spool.settle()
      }
      await spool.settle()
      expect(spool.size()).toBe(LABELS)
      expect(spool.isInMemory()).toBe(inMemory)

      const bucketOf = new Map<string, number>()
      const seen: number[] = []
      for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1) {
        const labels = await spool.bucket(bucket)
        expect(labels.map(({ number }) => number)).toEqual(
          labels.map(({ number }) => number).sort((a, b) => a - b),
        )
        for (const { identity, number } of labels) {
          expect(bucketOf.get(identity) ?? bucket).toBe(bucket)
          bucketOf.set(identity, bucket)
          seen.push(number)
        }
      }
      expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: LABELS }, (_, index) => index))
      await spools.close()
      await spools.close()
      expect(await connection.query('SELECT 1 FROM labels.spool')).toEqual([])
    })
  },
)
