/**
 * Requires signatures of reports and retires a key, in a separate process, so that a failpoint can kill it:
 * `report-key-process.ts CONNECTION KEYS KEYID`.
 */
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase } from '@cupel/postgres'
import { readSigningKeys } from '@cupel/signing'
import { requireSignatures, retireReportKey } from '../src/index.js'

const [connectionString, keyFile, keyId] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 6,
  applicationName: 'child',
})
const log = openEmbeddedLog({ database })
await requireSignatures(database, log)
const keys = readSigningKeys(keyFile!)
await retireReportKey({ database, log, keys, keyId: keyId!, by: 'operator:test', reason: 'it was copied' })
await log.close()
await database.close()
