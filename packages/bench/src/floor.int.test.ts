import { eventLogMigrations } from '@cupel/event-log'
import { migrate, openDatabase, readMigrations } from '@cupel/postgres'
import { createTestDatabase, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { floorClient, floorTopics, startEcho } from './floor.js'
import { runPhase } from './load.js'
import { openLog } from './log-connection.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const { connectionString } = database
  const admin = openDatabase({ connectionString, maxConnections: 1, applicationName: 'test' })
  await migrate(admin, await readMigrations([eventLogMigrations]))
  await admin.close()
})
afterAll(() => database.drop())

test('the echo answers every request of the floor, and a request without an echo is an error', async () => {
  const databaseUrl = database.connectionString
  const log = openLog({ kind: 'embedded', databaseUrl, topicPrefix: 'bench.' }, 'test')
  await log.ensureTopics(floorTopics)
  const impatient = await floorClient(log, 300)
  await expect(impatient.send(0)).rejects.toThrow('no answer from the echo')
  await impatient.close()
  const echo = await startEcho(log)
  const client = await floorClient(log)
  const result = await runPhase({ kind: 'closed', level: 8, seconds: 0.5 }, client.send, 1)
  expect(result.errors).toBe(0)
  expect(result.requests).toBeGreaterThanOrEqual(8)
  await client.close()
  await echo.stop()
  await log.close()
})
