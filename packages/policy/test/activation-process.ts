/** Activates a policy in a separate process, so that a failpoint can kill it: `activation-process.ts CONNECTION VERSION`. */
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import { activatePolicy } from '../src/index.js'

const [connectionString, version] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 6,
  applicationName: 'child',
})
const log = await openTestLog(database)
await activatePolicy({
  log,
  codec: createEventCodec(await loadSchemaCatalog(database)),
  database,
  policy: {
    policyId: 'default',
    version: Number(version),
    document: `{"version":${version}}`,
    sha256: `hash of text ${version}`,
  },
  activatedBy: 'operator:somebody',
  reason: 'a test',
  activatedAt: '2026-11-21T10:00:00.000Z',
})
await log.close()
await database.close()
