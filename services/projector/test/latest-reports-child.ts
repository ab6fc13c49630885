/** Keeps the topic of the latest reports on the embedded log of a test until it dies. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import { keepLatestReports } from '../src/keep-latest-reports.js'

const database = openDatabase({
  connectionString: process.argv[2]!,
  maxConnections: 8,
  applicationName: 'latest reports child',
})
keepLatestReports({
  log: await openTestLog(database, { leaseMs: 2_000 }),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  restMs: 5,
  onStopped: (error) => {
    throw error
  },
})
