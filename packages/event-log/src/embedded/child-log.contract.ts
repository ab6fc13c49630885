/** Opens the log under test in a child process of the contract suite. */
import { openDatabase } from '@cupel/postgres'
import type { EventLog } from '../port.js'
import { openEmbeddedLog } from './index.js'

export async function openLog(connectionString: string): Promise<EventLog> {
  return openEmbeddedLog({
    database: openDatabase({ connectionString, maxConnections: 4, applicationName: 'contract child' }),
  })
}
