/** Restores in a separate process, so that a failpoint can kill it: `restore-process.ts CONNECTION KEYS FOLDER`. */
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { readSigningKeys } from '@cupel/signing'
import { runRestore } from './archived-log.js'

const [connectionString, keyFile, folder] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 4,
  applicationName: 'child',
})
const log = openEmbeddedLog({ database })
await runRestore({ log, keys: readSigningKeys(keyFile!), folder: folder! })
await log.close()
await database.close()
