/** Activates a version of a policy with a log and connections of its own, as a command does, and closes them. */
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import { activatePolicy } from '../src/index.js'

export async function activateOnce(connectionString: string, version: number): Promise<void> {
  const database = openDatabase({ connectionString, maxConnections: 6, applicationName: 'activation' })
  const log = await openTestLog(database)
  try {
    await activatePolicy({
      log,
      codec: createEventCodec(await loadSchemaCatalog(database)),
      database,
      policy: {
        policyId: 'default',
        version,
        document: `{"version":${version}}`,
        sha256: `hash of text ${version}`,
      },
      activatedBy: 'operator:somebody',
      reason: 'a test',
      activatedAt: '2026-11-21T10:00:00.000Z',
    })
  } finally {
    await log.close()
    await database.close()
  }
}
