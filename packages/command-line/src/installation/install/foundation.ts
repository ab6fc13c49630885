/** Prepares a database and a log for the services: tables, schemas, topics. Safe to repeat. */
import { eventSchemas, type Logger } from '@cupel/contracts'
import {
  createEventCodec,
  installationTopics,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
  type SchemaRegistry,
} from '@cupel/event-log'
import { prepareTransferStore } from '@cupel/ledger'
import { migrate, readMigrations, type Database, type MigrationSource } from '@cupel/postgres'
import { installReadModels, installTenantWalls } from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import { primaryTables } from '../features.js'

export const migrationSources: readonly MigrationSource[] = primaryTables.map(({ migrations }) => migrations)

export async function prepareDatabase(database: Database, logger: Logger): Promise<void> {
  const applied = await migrate(database, await readMigrations(migrationSources))
  if (applied.length > 0) logger.info({ applied }, 'Applied migrations')
  await prepareTransferStore()
  await installReadModels(database, readModels)
  await installTenantWalls(database)
}

/** Registers the schemas, creates the topics, and returns the codec. */
export async function prepareLog(parts: {
  readonly database: Database
  readonly registry: SchemaRegistry
  readonly log: EventLog
  readonly logger: Logger
}): Promise<EventCodec> {
  const { database, registry, log, logger } = parts
  await Promise.all([registerSchemas({ database, registry, logger }), prepareTopics(log)])
  return await loadCodec(database)
}

/** Creates missing topics. */
export async function prepareTopics(log: EventLog): Promise<void> {
  await log.ensureTopics(installationTopics())
}

/** Whether the database has every schema of this version, so that events can be appended without a registry. */
export async function knowsEverySchema(database: Database): Promise<boolean> {
  const catalog = await loadSchemaCatalog(database)
  return Object.values(eventSchemas).every(
    ({ subject, schema }) => catalog.idOf(subject, schema) !== undefined,
  )
}

/**
 * Registers the schemas unless the database has them all and the registry all their subjects: a registry that lost its database lacks them.
 * Two hundred calls to a registry that has just started take seconds of its processor.
 */
export async function ensureSchemas(parts: {
  readonly database: Database
  readonly registry: SchemaRegistry
  readonly logger: Logger
}): Promise<void> {
  if ((await knowsEverySchema(parts.database)) && (await holdsEverySubject(parts.registry))) return
  await registerSchemas(parts)
}

async function holdsEverySubject(registry: SchemaRegistry): Promise<boolean> {
  const subjects = new Set(await registry.subjects())
  return Object.values(eventSchemas).every(({ subject }) => subjects.has(subject))
}

export async function loadCodec(database: Database): Promise<EventCodec> {
  return createEventCodec(await loadSchemaCatalog(database))
}
