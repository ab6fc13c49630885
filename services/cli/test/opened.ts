/** Connections to an installation without running services, and the actions of operators on them. */
import { adoptLog, type AdoptedLog, type CheckpointSettings } from '@cupel/checkpoints'
import {
  createEventCodec,
  loadSchemaCatalog,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase, type Database } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import { restore, type Restored, type RestoreOptions } from '../src/restore/restore.js'

export interface Opened {
  readonly database: Database
  readonly log: AuthenticLog
  readonly codec: EventCodec
}

export type OpenLog = () => EventLog

export const open = (connectionString: string, applicationName = 'test'): Database =>
  openDatabase({ connectionString, maxConnections: 20, applicationName, statementTimeoutMs: 0 })

/** Opens the embedded log of a database; both close together. */
export function embeddedLog(connectionString: string): EventLog {
  const database = open(connectionString)
  const log = openEmbeddedLog({ database })
  return { ...log, close: () => log.close().finally(() => database.close()) }
}

export async function withOpened<T>(
  connectionString: string,
  openLog: OpenLog,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const database = open(connectionString)
  const log = await openTestLog(database, { log: openLog() })
  try {
    return await work({ database, log, codec: createEventCodec(await loadSchemaCatalog(database)) })
  } finally {
    await log.close()
    await database.close()
  }
}

export function restoreOpened(
  parts: Opened,
  checkpoints: CheckpointSettings | null,
  options: Partial<RestoreOptions> = {},
): Promise<Restored> {
  return restore(
    { ...parts, checkpoints },
    {
      ...{ dryRun: false, acceptsLost: false, acceptsMissingLedger: false, isOlderDatabase: false },
      ...{ by: 'test', reason: 'A drill.' },
      ...options,
    },
  )
}

export function adoptOpened(
  { log, database }: Opened,
  { keys, folders }: CheckpointSettings,
  options: { readonly dryRun?: boolean } = {},
): Promise<AdoptedLog> {
  return adoptLog({
    ...{ log: log.unchecked, database, by: 'test', reason: 'A drill.', ...options },
    ...{ verifier: keys.verifier, folder: folders[0]! },
  })
}
