/** Replaces the key of the installation. Earlier copies of the table of keys, in backups and on disk, can then never be read again. */
import type { Database, Queryable } from '@cupel/postgres'
import { addMasterKey, readMasterKeys, removeOldMasterKeys, unwrap, wrap } from './master-keys.js'
import {
  REFERENCE_FIELDS,
  referenceHash,
  unwrapReference,
  wrapReference,
  type ReferenceRow,
} from './reference-store.js'
import { lockMasters } from './stored-key.js'

export interface Rotation {
  /** Id of the new key of the installation. */
  readonly masterId: string
  /** Number of keys of accounts and references that were wrapped again. */
  readonly rewrapped: number
}

interface Row {
  readonly accountId: string
  readonly period: string
  readonly keyId: string
  readonly masterId: string
  readonly wrapped: Buffer
}

/** Number of keys of references that are in memory at once. */
const REFERENCES_AT_ONCE = 5_000

/**
 * Adds a key to the file, wraps every key of an account or a reference under it in one transaction, and removes the others from the
 * file. If the process is killed between these steps, the file holds both, and a repeated call continues. Throws if the file cannot be
 * written, before anything has changed.
 */
export async function rotateMasterKey(database: Database, file: string): Promise<Rotation> {
  const masterId = addMasterKey(file)
  const rewrapped = await database.transaction({ at: 'personal-data.rotate' }, async (transaction) => {
    await lockMasters(transaction, 'all')
    const masters = readMasterKeys(file)
    const masterOf = (id: string): Buffer => {
      const master = masters.byId.get(id)
      if (master === undefined) throw new Error(`${file} lacks the key ${id}, under which keys are wrapped`)
      return master
    }
    const rows = await transaction.query<Row>(
      `SELECT account_id AS "accountId", period, key_id AS "keyId", master_id AS "masterId", wrapped
       FROM personal_data.account_key WHERE wrapped IS NOT NULL AND master_id <> $1 FOR UPDATE`,
      [masterId],
    )
    const wrapped = rows.map((row) =>
      wrap(masterOf(masterId), unwrap(masterOf(row.masterId), row.wrapped, row), row),
    )
    await transaction.execute(
      `UPDATE personal_data.account_key AS k SET wrapped = given.wrapped, master_id = $3
       FROM unnest($1::text[], $2::bytea[]) AS given (key_id, wrapped) WHERE k.key_id = given.key_id`,
      [rows.map(({ keyId }) => keyId), wrapped, masterId],
    )
    return rows.length + (await rewrapReferences(transaction, masterId, masterOf))
  })
  removeOldMasterKeys(file)
  return { masterId, rewrapped }
}

/** Their hashes are computed again too: without the former key, guesses cannot be tested on an earlier copy. */
async function rewrapReferences(
  transaction: Queryable,
  masterId: string,
  masterOf: (id: string) => Buffer,
): Promise<number> {
  const master = masterOf(masterId)
  let [count, after] = [0, '']
  for (;;) {
    const rows = await transaction.query<ReferenceRow & { readonly wrapped: Buffer }>(
      `SELECT ${REFERENCE_FIELDS} FROM personal_data.reference_key
       WHERE wrapped IS NOT NULL AND master_id <> $1 AND key_id > $2 ORDER BY key_id LIMIT $3 FOR UPDATE`,
      [masterId, after, REFERENCES_AT_ONCE],
    )
    if (rows.length === 0) return count
    const anew = rows.map((row) => {
      const opened = unwrapReference(masterOf(row.masterId), row, row.wrapped)
      return {
        wrapped: wrapReference(master, row, opened),
        hash: referenceHash(master, row.accountId, opened.reference),
      }
    })
    await transaction.execute(
      `UPDATE personal_data.reference_key AS k
       SET wrapped = given.wrapped, reference_hash = given.reference_hash, master_id = $4
       FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS given (key_id, wrapped, reference_hash)
       WHERE k.key_id = given.key_id`,
      [
        rows.map(({ keyId }) => keyId),
        anew.map(({ wrapped }) => wrapped),
        ...[anew.map(({ hash }) => hash), masterId],
      ],
    )
    count += rows.length
    after = rows.at(-1)!.keyId
  }
}
