/** Runs an API on the embedded log of a test until it dies, and prints its address. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { loadConfig } from '@cupel/service-kit'
import { openTestLog } from '@cupel/testkit/installation'
import { startApi } from '../src/index.js'

const database = openDatabase({
  connectionString: process.argv[2]!,
  maxConnections: 8,
  applicationName: 'api child',
})
const api = await startApi({
  config: loadConfig({
    ...{ CUPEL_PORT: '0', CUPEL_INSTANCE: '3' },
    CUPEL_PERSONAL_DATA_KEYS_FILE: process.argv[3]!,
  }),
  log: await openTestLog(database),
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  logger: silentLogger,
  metrics: noMetrics,
  fail: (reason, error) => {
    throw new Error(reason, { cause: error })
  },
})
process.stdout.write(`${api.url}\n`)
