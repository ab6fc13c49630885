/** Runs a coordinator on the embedded log of a test until it dies. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import { startBulkCoordinator } from '../src/index.js'

const database = openDatabase({
  connectionString: process.argv[2]!,
  maxConnections: 8,
  applicationName: 'coordinator child',
})
await startBulkCoordinator({
  config: { CUPEL_HOME: '/nowhere', CUPEL_WATCH_DIGEST_HOUR: 6 },
  log: await openTestLog(database, { leaseMs: 2_000 }),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  fail: (reason, error) => {
    throw new Error(reason, { cause: error })
  },
})
