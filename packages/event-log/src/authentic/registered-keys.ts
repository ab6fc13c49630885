/**
 * The record keys that every process of an installation must have, and the logs that belong to it. Both are in the database, where no record
 * of the log can change them; the role of the services only reads them.
 */
import type { Database, Queryable } from '@cupel/postgres'
import type { EventLog, LogIdentity } from '../port.js'
import { RecordKeysError, type RecordKeys } from './record-keys.js'

/**
 * The logs of the installation; null before the first registration. Rejects with RecordKeysError if the process lacks a registered key, or
 * writes with a key that others may lack.
 */
export async function loadOwnLogs(
  database: Queryable,
  keys: RecordKeys | null,
): Promise<ReadonlySet<LogIdentity> | null> {
  const registered = await registeredKeys(database)
  if (registered.length > 0) requireKeys(keys, registered)
  const rows = await database.query<{ logId: LogIdentity }>('SELECT log_id AS "logId" FROM log.own_log')
  return registered.length + rows.length === 0 ? null : new Set(rows.map(({ logId }) => logId))
}

function requireKeys(keys: RecordKeys | null, registered: readonly string[]): void {
  if (keys === null) throw new RecordKeysError('This process has no record keys: set CUPEL_RECORD_KEYS_FILE.')
  requireAll(keys, registered)
  if (!registered.includes(keys.activeId))
    throw new RecordKeysError(
      `The active record key ${keys.activeId} is not registered, so that other processes may lack it: run cupel log register-keys.`,
    )
}

function requireAll(keys: RecordKeys, registered: readonly string[]): void {
  const missing = registered.filter((id) => !keys.byId.has(id))
  if (missing.length > 0)
    throw new RecordKeysError(
      `The file of the record keys lacks ${missing.join(', ')}, with which records of this log were written: restore the file from its backup.`,
    )
}

async function registeredKeys(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ keyId: string }>('SELECT key_id AS "keyId" FROM log.record_key')
  return rows.map(({ keyId }) => keyId)
}

/** Whether record keys are registered for the log: from then on its services start. */
export async function areRecordKeysRegistered(database: Queryable, log: LogIdentity): Promise<boolean> {
  const [row] = await database.query<{ is: boolean }>(
    `SELECT EXISTS (SELECT FROM log.record_key)
       AND EXISTS (SELECT FROM log.own_log WHERE log_id = $1) AS is`,
    [log],
  )
  return row!.is
}

export interface RegisterRecordKeysOptions {
  readonly database: Database
  readonly log: EventLog
  readonly keys: RecordKeys
  /** Whether the log becomes one of the installation although another one is. True by default: an operator asks for it. */
  readonly joins?: boolean
  /** Runs in the transaction of the change. */
  readonly record?: (transaction: Queryable) => Promise<void>
}

/**
 * Registers the keys of the file, and the log as one of this installation. From then on no process starts without these keys. Rejects with
 * RecordKeysError if the file lacks a key that is registered. Resolves to whether anything changed.
 */
export async function registerRecordKeys(options: RegisterRecordKeysOptions): Promise<boolean> {
  const { database, log, keys, joins = true, record } = options
  const logId = await log.identity()
  return await database.transaction({ at: 'log.register-keys' }, async (transaction) => {
    await transaction.execute('LOCK TABLE log.record_key IN EXCLUSIVE MODE')
    requireAll(keys, await registeredKeys(transaction))
    const added = await transaction.execute(
      'INSERT INTO log.record_key (key_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
      [[...keys.byId.keys()]],
    )
    const joined = await transaction.execute(
      `INSERT INTO log.own_log (log_id) SELECT $1 WHERE $2 OR NOT EXISTS (SELECT FROM log.own_log)
       ON CONFLICT DO NOTHING`,
      [logId, joins],
    )
    const hasChanged = added + joined > 0
    if (hasChanged) await record?.(transaction)
    return hasChanged
  })
}
