/** Runs a scorer on the embedded log of a test until it dies. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { loadConfig } from '@cupel/service-kit'
import { openTestLog } from '@cupel/testkit/installation'
import { startScorer } from '../src/index.js'

const database = openDatabase({
  connectionString: process.argv[2]!,
  maxConnections: 8,
  applicationName: 'scorer child',
})
await startScorer({
  config: loadConfig({}),
  log: await openTestLog(database),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  fail: (reason, error) => {
    throw new Error(reason, { cause: error })
  },
})
