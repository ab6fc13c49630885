/** Keeps a transparency log in a process of its own, so that a failpoint can kill it: `transparency-process.ts CONNECTION KEYS FOLDER`. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { readSigningKeys } from '@cupel/signing'
import { startTransparency } from '../src/index.js'
import { topics } from './transparent-log.js'

const [connectionString, keyFile, folder] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 6,
  applicationName: 'child',
})
const log = openEmbeddedLog({ database })
const codec = createEventCodec(await loadSchemaCatalog(database))
const settings = { keys: readSigningKeys(keyFile!), folders: [folder!], intervalMs: 1 }
startTransparency({ log, codec, database, topics, ...settings, logger: silentLogger, metrics: noMetrics })
