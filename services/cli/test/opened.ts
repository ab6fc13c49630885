/** Connections to an installation without running services, and the actions of operators on them. */
import { topicSpecs } from '@cupel/contracts'
import {
  createEventCodec,
  loadSchemaCatalog,
  placesOf,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openDatabase, type Database } from '@cupel/postgres'
import { openTestLog } from '@cupel/testkit/installation'
import { adoptLog, type AdoptedLog, type EvidenceSettings } from '@cupel/evidence/transparency'
import { restore, type Restored, type RestoreOptions } from '@cupel/operation/commands'

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
  evidence: EvidenceSettings | null,
  options: Partial<RestoreOptions> = {},
): Promise<Restored> {
  return restore(
    { ...parts, evidence },
    {
      ...{ dryRun: false, acceptsLost: false, acceptsMissingLedger: false, isOlderDatabase: false },
      ...{ by: 'test', reason: 'A drill.' },
      ...options,
    },
  )
}

export async function adoptOpened(
  { log, codec, database }: Opened,
  { keys, stores }: EvidenceSettings,
  options: { readonly dryRun?: boolean } = {},
): Promise<AdoptedLog> {
  return await adoptLog({
    ...{ log: log.unchecked, codec, database, by: 'test', reason: 'A drill.', ...options },
    ...{ verifier: keys.verifier, stores, places: await placesOf(log, topicSpecs) },
  })
}
