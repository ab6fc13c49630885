/**
 * Keeps a transparency log in a separate process, so that a failpoint can kill it: `transparency-process.ts
 * CONNECTION KEYS FOLDER [WITNESSES]`.
 */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { readSigningKeys } from '@cupel/signing'
import { readWitnessSettings, startTransparency, startWitnesses } from '../src/index.js'
import { topics } from './transparent-log.js'

const [connectionString, keyFile, folder, witnesses] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 6,
  applicationName: 'child',
})
const log = openEmbeddedLog({ database })
const codec = createEventCodec(await loadSchemaCatalog(database))
const settings = { keys: readSigningKeys(keyFile!), folders: [folder!], intervalMs: 1 }
const parts = { log, codec, database, topics, ...settings, logger: silentLogger, metrics: noMetrics }
startTransparency(parts)
if (witnesses !== undefined) startWitnesses({ ...parts, settings: readWitnessSettings(witnesses) })
