/** Runs a scorer on the embedded log of a test until it dies. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { startScorer } from '../src/index.js'

const database = openDatabase({
  connectionString: process.argv[2]!,
  maxConnections: 8,
  applicationName: 'scorer child',
})
await startScorer({
  config: { CUPEL_SCORER_LANE: 'both', CUPEL_LABEL_LAG_LIMIT_MS: 30_000, CUPEL_LABEL_LAG_REFUSE_MS: 600_000 },
  log: openEmbeddedLog({ database }),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  fail: (reason, error) => {
    throw new Error(reason, { cause: error })
  },
})
