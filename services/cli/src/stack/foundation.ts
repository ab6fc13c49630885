/** Brings a database and a log into the state in which services can start: tables, schemas, topics. Repeating it changes nothing. */
import { accessMigrations } from '@cupel/access'
import { topicSpecs, type Logger } from '@cupel/contracts'
import {
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
  type SchemaRegistry,
} from '@cupel/event-log'
import { migrate, readMigrations, type Database } from '@cupel/postgres'
import { installReadModels, projectionsMigrations } from '@cupel/projections'
import { readModels } from '@cupel/read-models'
import { scorerDeadLetterTopics } from '@cupel/scorer'

/** In the order in which they refer to each other. */
const migrationSources = [eventLogMigrations, projectionsMigrations, accessMigrations]

export async function prepareDatabase(database: Database, logger: Logger): Promise<void> {
  const applied = await migrate(database, await readMigrations(migrationSources))
  if (applied.length > 0) logger.info({ applied }, 'Migrations were applied')
  await installReadModels(database, readModels)
}

/** Registers the schemas, creates the topics, and gives the codec that reads and writes them. */
export async function prepareLog(parts: {
  readonly database: Database
  readonly registry: SchemaRegistry
  readonly log: EventLog
  readonly logger: Logger
}): Promise<EventCodec> {
  const { database, registry, log, logger } = parts
  await Promise.all([
    registerSchemas({ database, registry, logger }),
    log.ensureTopics([...topicSpecs, ...scorerDeadLetterTopics]),
  ])
  return createEventCodec(await loadSchemaCatalog(database))
}
