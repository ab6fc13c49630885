/** A process of a test: it sends webhooks until it is killed. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { failLoudly, openTestLog } from '@cupel/testkit/installation'
import { startWebhookDispatcher } from '../src/index.js'
import { CONFIG, readTestJob } from './installation.js'

const connectionString = process.argv[2]!
const database = openDatabase({ connectionString, maxConnections: 8, applicationName: 'dispatcher child' })
await startWebhookDispatcher({
  config: CONFIG,
  log: await openTestLog(database, { leaseMs: 2_000 }),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  readEndedJob: readTestJob,
  fail: failLoudly,
})
