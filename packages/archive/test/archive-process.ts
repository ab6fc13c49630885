/** Archives or restores in a separate process, so that a failpoint can kill it: `archive-process.ts create|restore CONNECTION KEYS FOLDER`. */
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { readSigningKeys } from '@cupel/signing'
import { runCreate, runRestore } from './archived-log.js'

const [work, connectionString, keyFile, folder] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 4,
  applicationName: 'child',
})
const log = openEmbeddedLog({ database })
const parts = { log, keys: readSigningKeys(keyFile!), folder: folder! }
await (work === 'create' ? runCreate(parts) : runRestore(parts))
await log.close()
await database.close()
