/** Exchanges the key of the installation: earlier copies of the table of keys, in backups and on disk, can then never be read again. */
import type { Database } from '@cupel/postgres'
import { lockMasters } from './key-store.js'
import { addMasterKey, readMasterKeys, removeOldMasterKeys, unwrap, wrap } from './master-keys.js'

export interface Rotation {
  /** Id of the new key of the installation. */
  readonly masterId: string
  /** Keys of accounts that are wrapped anew. */
  readonly rewrapped: number
}

interface Row {
  readonly accountId: string
  readonly period: string
  readonly keyId: string
  readonly masterId: string
  readonly wrapped: Buffer
}

/**
 * Adds a key to the file, wraps every key of an account under it in one transaction, and removes the others from the file. Killed
 * between these, the file holds both, and a repeat goes on. Throws where the file cannot be written, before anything has changed.
 */
export async function rotateMasterKey(database: Database, file: string): Promise<Rotation> {
  const masterId = addMasterKey(file)
  const rewrapped = await database.transaction({ at: 'personal-data.rotate' }, async (transaction) => {
    await lockMasters(transaction, 'all')
    const masters = readMasterKeys(file)
    const rows = await transaction.query<Row>(
      `SELECT account_id AS "accountId", period, key_id AS "keyId", master_id AS "masterId", wrapped
       FROM personal_data.account_key WHERE wrapped IS NOT NULL AND master_id <> $1 FOR UPDATE`,
      [masterId],
    )
    const wrapped = rows.map((row) => {
      const master = masters.byId.get(row.masterId)
      if (master === undefined)
        throw new Error(`${file} lacks the key ${row.masterId}, under which keys are wrapped`)
      return wrap(masters.byId.get(masterId)!, unwrap(master, row.wrapped, row), row)
    })
    await transaction.execute(
      `UPDATE personal_data.account_key AS k SET wrapped = given.wrapped, master_id = $3
       FROM unnest($1::text[], $2::bytea[]) AS given (key_id, wrapped) WHERE k.key_id = given.key_id`,
      [rows.map(({ keyId }) => keyId), wrapped, masterId],
    )
    return rows.length
  })
  removeOldMasterKeys(file)
  return { masterId, rewrapped }
}
