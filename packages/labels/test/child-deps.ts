/** The dependencies of an import in a child process, on a database that a test has prepared. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import type { LabelImportDeps } from '../src/index.js'

export async function openChildDeps(
  connectionString: string,
): Promise<{ readonly deps: LabelImportDeps; close(): Promise<void> }> {
  const database = openDatabase({
    ...{ connectionString, maxConnections: 12, applicationName: 'test-child', statementTimeoutMs: 0 },
  })
  const log = await openTestLog(database)
  const codec = createEventCodec(await loadSchemaCatalog(database))
  return {
    deps: { log, codec, database, logger: silentLogger, metrics: noMetrics, labelView: 'here' },
    async close() {
      await log.close()
      await database.close()
    },
  }
}
