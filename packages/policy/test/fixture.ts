/** The embedded log, the codec and a database of its own, for the commands that append to the log. */
import { topicSpecs } from '@cupel/contracts'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { createTestDatabase } from '@cupel/testkit'

export interface Fixture {
  readonly connectionString: string
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  close(): Promise<void>
}

export async function openFixture(): Promise<Fixture> {
  const testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  const connect = (applicationName: string): Database =>
    openDatabase({ connectionString, maxConnections: 8, applicationName })
  const database = connect('test')
  const logDatabase = connect('test-log')
  await migrate(database, await readMigrations([eventLogMigrations]))
  const log = openEmbeddedLog({ database: logDatabase })
  await log.ensureTopics(topicSpecs)
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  return {
    connectionString,
    database,
    log,
    codec,
    async close() {
      await log.close()
      await Promise.all([database.close(), logDatabase.close()])
      await testDatabase.drop()
    },
  }
}
