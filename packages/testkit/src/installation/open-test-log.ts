/** The log of a test, with the record keys of all tests. */
import { fileURLToPath } from 'node:url'
import { openAuthenticLog, readRecordKeys, type AuthenticLog, type EventLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import type { Database } from '@cupel/postgres'

/** For commands and processes that a test starts. */
export const TEST_RECORD_KEYS_FILE = fileURLToPath(new URL('../../record-keys.json', import.meta.url))

export const testRecordKeys = readRecordKeys(TEST_RECORD_KEYS_FILE)

/** The embedded log of the database, or another log, as a service reads and writes it. */
export async function openTestLog(
  database: Database,
  { leaseMs, log = openEmbeddedLog({ database, leaseMs }) }: { leaseMs?: number; log?: EventLog } = {},
): Promise<AuthenticLog> {
  return await openAuthenticLog({ log, database, keys: testRecordKeys })
}
