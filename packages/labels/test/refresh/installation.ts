/** A database with the label view and the schedule; lists are refreshed as a service would. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger, topicSpecs } from '@cupel/contracts'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { importLabels, type LabelImportDeps, type LabelImportRequest } from '../../src/index.js'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import {
  installReadModels,
  projectionsMigrations,
  runReadModel,
  waitUntilProjected,
} from '@cupel/projections'
import {
  LABEL_PARTITION,
  LABEL_TOPIC,
  labelView,
  labelViewGroup,
  listPublications,
  listSets,
  readModels,
  type PublishedSet,
} from '@cupel/read-models'
import { createTestDatabase } from '@cupel/testkit'
import { labelsMigrations, parseRefreshPlan, refreshDue, type RefreshRun } from '../../src/index.js'

export interface RefreshInstallation {
  readonly connectionString: string
  readonly database: Database
  readonly deps: LabelImportDeps
  readonly folder: string
  /** Refreshes now, whether or not the lists are due. */
  refresh(
    lists: readonly object[],
    options?: { force?: boolean; now?: () => Date },
  ): Promise<readonly RefreshRun[]>
  import(request: Omit<LabelImportRequest, 'importedBy' | 'format'>): Promise<void>
  set(dataset: string): Promise<PublishedSet | undefined>
  publications(source: string, dataset: string): Promise<readonly PublishedSet[]>
  /** The label view has applied everything there is. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

export const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

/** A list of so many labels, dated. */
export function listOf(count: number, date = '2026-11-20'): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const address = `0x${(index + 1).toString(16).padStart(40, '0')}`
    return `${address},ETH,scam,Somebody,my_list,https://example.org/list,0.8,${date}`
  })
  return [HEADER, ...rows, ''].join('\n')
}

export async function openRefreshInstallation(): Promise<RefreshInstallation> {
  const testDatabase = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'cupel-label-refresh-test-'))
  const database = openDatabase({
    connectionString: testDatabase.connectionString,
    maxConnections: 12,
    applicationName: 'cupel-label-refresh-test',
    statementTimeoutMs: 0,
  })
  await migrate(database, await readMigrations([eventLogMigrations, projectionsMigrations, labelsMigrations]))
  await installReadModels(database, readModels)
  const log = openEmbeddedLog({ database })
  await registerSchemas({ database, registry: builtInRegistry(database) })
  await log.ensureTopics(topicSpecs)
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const deps: LabelImportDeps = {
    log,
    codec,
    database,
    logger: silentLogger,
    metrics: noMetrics,
    labelView: 'here',
  }
  return {
    connectionString: testDatabase.connectionString,
    database,
    deps,
    folder,
    async refresh(lists, { force = true, now } = {}) {
      const plan = parseRefreshPlan(JSON.stringify({ lists }))
      const signal = new AbortController().signal
      return await refreshDue(
        { ...deps, lists: plan, ...(now === undefined ? {} : { now }) },
        { signal, force },
      )
    },
    async import(request) {
      const result = await importLabels({ ...request, format: 'csv', importedBy: 'operator:test' }, deps)
      if (result.status === 'refused') throw new Error(result.message)
    },
    async set(dataset) {
      return (await listSets(database)).find((set) => set.dataset === dataset)
    },
    publications: (source, dataset) => listPublications(database, { source, dataset }),
    async caughtUp() {
      const view = runReadModel({ readModel: labelView, ...deps, commitIntervalMs: 5 })
      const offset = await log.endOffset(LABEL_TOPIC, LABEL_PARTITION)
      const place = { group: labelViewGroup, topic: LABEL_TOPIC, partition: LABEL_PARTITION }
      if (!(await waitUntilProjected({ database, ...place, offset, timeoutMs: 30_000 })))
        throw new Error(`The label view did not reach ${offset}`)
      await view.stop()
    },
    async close() {
      await log.close()
      await database.close()
      await testDatabase.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
