/** Makes checkpoints in a separate process, so that a failpoint can kill it: `checkpoint-process.ts CONNECTION KEYS FOLDER`. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { readSigningKeys } from '@cupel/signing'
import { startCheckpoints } from '../src/index.js'
import { topics } from './history.js'

const [connectionString, keyFile, folder] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 6,
  applicationName: 'child',
})
const log = openEmbeddedLog({ database })
const settings = { keys: readSigningKeys(keyFile!), folders: [folder!], intervalMs: 1 }
startCheckpoints({ log, database, topics, ...settings, logger: silentLogger, metrics: noMetrics })
