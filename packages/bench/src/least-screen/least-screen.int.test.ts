import { eventLogMigrations } from '@cupel/event-log'
import { migrate, openDatabase, readMigrations } from '@cupel/postgres'
import { createTestDatabase, until, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLog } from '../log-connection.js'
import {
  answerLeastRequests,
  dropLeastTables,
  leastTopics,
  makeLeastTables,
  serveLeastScreens,
  storeLeastReports,
} from './least-screen.js'

let created: TestDatabase
beforeAll(async () => void (created = await createTestDatabase()))
afterAll(() => created.drop())

test('the least screen answers each call with its own report, and stores it', async () => {
  const database = openDatabase({
    connectionString: created.connectionString,
    maxConnections: 4,
    applicationName: 'test',
  })
  await migrate(database, await readMigrations([eventLogMigrations]))
  await makeLeastTables(database)
  const connection = { kind: 'embedded', databaseUrl: created.connectionString, topicPrefix: 'b.' } as const
  const { log, close } = await openLog(connection, 'test')
  await log.ensureTopics(leastTopics)
  const parts = { log, database }
  const subscriptions = [await answerLeastRequests(parts), await storeLeastReports(parts)]
  const api = await serveLeastScreens(parts)

  // Enough for all partitions, so that reports come in another order than calls.
  const addresses = Array.from({ length: 40 }, (_, index) => `address ${index}`)
  const reports = await Promise.all(
    addresses.map(async (address) => {
      const body = JSON.stringify({ address, chain: 'ETH' })
      const answer = await fetch(`http://127.0.0.1:${api.port}/v1/screen`, { method: 'POST', body })
      return (await answer.json()) as { report_id: string; address: string }
    }),
  )
  expect(reports.map(({ address }) => address)).toEqual(addresses)
  await until(async () => {
    const rows = await database.query<{ report_id: string }>('SELECT report_id FROM bench_least.report')
    expect(rows.map((row) => row.report_id).sort()).toEqual(reports.map((each) => each.report_id).sort())
  })

  await api.close()
  for (const subscription of subscriptions) await subscription.stop()
  await close()
  await dropLeastTables(database)
  const left = await database.query("SELECT 1 FROM pg_namespace WHERE nspname = 'bench_least'")
  expect(left).toEqual([])
  await database.close()
})
