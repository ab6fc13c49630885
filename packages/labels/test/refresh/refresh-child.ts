/** Refreshes one list in a process of its own, which a failpoint may kill: `refresh-child.ts CONNECTION PLAN`. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { parseRefreshPlan, refreshDue } from '../../src/index.js'

const [connectionString, plan] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 12,
  applicationName: 'child',
  statementTimeoutMs: 0,
})
const log = openEmbeddedLog({ database })
const codec = createEventCodec(await loadSchemaCatalog(database))
const deps = { log, codec, database, logger: silentLogger, metrics: noMetrics, labelView: 'here' as const }
await refreshDue(
  { ...deps, lists: parseRefreshPlan(plan!) },
  { signal: new AbortController().signal, force: true },
)
await log.close()
await database.close()
