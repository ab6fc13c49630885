/** Runs an API on the embedded log of a test until it dies; says where it listens. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { loadConfig } from '@cupel/service-kit'
import { startApi } from '../src/index.js'

const database = openDatabase({
  connectionString: process.argv[2]!,
  maxConnections: 8,
  applicationName: 'api child',
})
const api = await startApi({
  config: loadConfig({ CUPEL_PORT: '0', CUPEL_INSTANCE: '3' }),
  log: openEmbeddedLog({ database }),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  fail: (reason, error) => {
    throw new Error(reason, { cause: error })
  },
})
process.stdout.write(`${api.url}\n`)
