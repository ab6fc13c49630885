/** The parts of an installation that a judgement needs: a database with the label tables, and the importer. */
import { noMetrics, silentLogger, topicSpecs } from '@cupel/contracts'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { ledgerMigrations } from '@cupel/ledger'
import {
  importLabels,
  labelsMigrations,
  type LabelImportRequest,
  type LabelImportSummary,
} from '@cupel/labels'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { installReadModels, projectionsMigrations } from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'

export interface LabelInstallation {
  readonly database: Database
  /** Imports as `cupel labels import` does. Throws if the whole file is rejected. */
  import(request: Omit<LabelImportRequest, 'importedBy'>): Promise<LabelImportSummary>
  close(): Promise<void>
}

export async function openLabelInstallation(connectionString: string): Promise<LabelInstallation> {
  const database = openDatabase({
    connectionString,
    maxConnections: 12,
    applicationName: 'cupel-bench-judgement',
    statementTimeoutMs: 0,
  })
  await migrate(
    database,
    await readMigrations([eventLogMigrations, projectionsMigrations, ledgerMigrations, labelsMigrations]),
  )
  await installReadModels(database, readModels)
  const log = openEmbeddedLog({ database })
  await registerSchemas({ database, registry: builtInRegistry(database) })
  await log.ensureTopics(topicSpecs)
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const deps = {
    log,
    codec,
    database,
    logger: silentLogger,
    metrics: noMetrics,
    labelView: 'here' as const,
  }
  return {
    database,
    async import(request) {
      const list = { ...request, importedBy: 'bench' }
      let result = await importLabels(list, deps)
      // The lists arrive one after the other: an authority's own list ends restatements, and the measurement wants that.
      if (result.status === 'refused' && result.removals !== null) {
        const accepted = { acceptRemovals: result.removals, reason: 'the authority’s own list' }
        result = await importLabels({ ...list, ...accepted }, deps)
      }
      if (result.status === 'refused') throw new Error(`${request.file} is refused: ${result.message}`)
      return result
    },
    async close() {
      await log.close()
      await database.close()
    },
  }
}
