/** An installation on a database of its own: the embedded log, the label view, and files to import. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger, topicSpecs } from '@cupel/contracts'
import { parseAddress } from '@cupel/domain'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { installReadModels, projectionsMigrations } from '@cupel/projections'
import { readModels, showLabels, type Label } from '@cupel/read-models'
import { createTestDatabase } from '@cupel/testkit'
import {
  importLabels,
  type LabelImportDeps,
  type LabelImportRequest,
  type LabelImportResult,
  type LabelImportSummary,
} from '../../src/index.js'

export interface TestInstallation {
  readonly connectionString: string
  readonly database: Database
  readonly deps: LabelImportDeps
  readonly folder: string
  /** Writes a file into a folder of its own; rows under the header of Cupel's CSV. */
  file(name: string, rows: readonly string[]): Promise<string>
  /** Imports as an operator would. */
  import(file: string, options?: Partial<LabelImportRequest>): Promise<LabelImportResult>
  /** As `import`, where anything but success is a mistake of the test. */
  imported(file: string, options?: Partial<LabelImportRequest>): Promise<LabelImportSummary>
  /** What is visible about an address, in the order of the log. */
  show(address: string, chain?: string): Promise<Label[]>
  close(): Promise<void>
}

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

export async function startInstallation(): Promise<TestInstallation> {
  const testDatabase = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'cupel-label-import-'))
  const database = openTestDatabase(testDatabase.connectionString)
  await migrate(database, await readMigrations([eventLogMigrations, projectionsMigrations]))
  await installReadModels(database, readModels)
  const deps = await openDeps(database, { prepare: true })

  async function run(file: string, options: Partial<LabelImportRequest> = {}): Promise<LabelImportResult> {
    return await importLabels({ file, format: 'csv', importedBy: 'operator:test', ...options }, deps)
  }

  return {
    connectionString: testDatabase.connectionString,
    database,
    deps,
    folder,
    async file(name, rows) {
      const path = join(await mkdtemp(join(folder, 'file-')), name)
      await writeFile(path, [HEADER, ...rows, ''].join('\n'))
      return path
    },
    import: run,
    async imported(file, options) {
      const result = await run(file, options)
      if (result.status === 'refused') throw new Error(`The import was refused: ${result.message}`)
      return result
    },
    async show(address, chain) {
      const parsed = parseAddress(address, chain)
      if (!parsed.ok) throw new Error(`${address} is not an address`)
      return await showLabels(database, { lookupKeys: [parsed.lookupKey] })
    },
    async close() {
      await deps.log.close()
      await database.close()
      await testDatabase.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function openTestDatabase(connectionString: string): Database {
  return openDatabase({
    connectionString,
    maxConnections: 12,
    applicationName: 'cupel-label-import-test',
    statementTimeoutMs: 0,
  })
}

export async function openDeps(
  database: Database,
  { prepare }: { prepare: boolean },
): Promise<LabelImportDeps> {
  const log = openEmbeddedLog({ database })
  if (prepare) {
    await registerSchemas({ database, registry: builtInRegistry(database) })
    await log.ensureTopics(topicSpecs)
  }
  const codec = createEventCodec(await loadSchemaCatalog(database))
  return { log, codec, database, logger: silentLogger, metrics: noMetrics, labelView: 'here' }
}
