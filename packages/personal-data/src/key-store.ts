/** The keys of accounts as the database holds them, wrapped under the keys of the installation. */
import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from '@cupel/postgres'
import { unwrap, wrap } from './master-keys.js'
import { createReferenceStore, type ReferenceStore } from './reference-store.js'
import { createSealingKey, KEY_BYTES } from './sealed-text.js'
import {
  lockKeysOf,
  lockMasters,
  newKeyId,
  openMasters,
  type OpenMasters,
  type StoredKey,
} from './stored-key.js'

export interface KeyStore {
  /** The keys of an account for these periods; missing keys are made. No key is made if the key of the account was destroyed. */
  ensure(accountId: string, periods: readonly string[]): Promise<readonly StoredKey[]>
  ofAccount(accountId: string): Promise<readonly StoredKey[]>
  byId(keyIds: readonly string[]): Promise<readonly StoredKey[]>
  readonly references: ReferenceStore
}

interface KeyRow {
  readonly accountId: string
  readonly period: string
  readonly keyId: string
  readonly masterId: string
  readonly wrapped: Buffer | null
}

const FIELDS = `account_id AS "accountId", period, key_id AS "keyId", master_id AS "masterId", wrapped`
const FIND = {
  name: 'personal-data.find-keys',
  text: `SELECT ${FIELDS} FROM personal_data.account_key WHERE account_id = $1 AND period = ANY ($2::text[])`,
}

/** Throws PersonalDataKeysError if `file` lacks a key that is in use. */
export async function openKeyStore(database: Database, file: string): Promise<KeyStore> {
  const masters = openMasters(file)
  for (const masterId of await mastersInUse(database)) masters.of(masterId)
  const references = createReferenceStore(database, masters)

  function storedKey({ accountId, period, keyId, masterId, wrapped }: KeyRow): StoredKey {
    const place = { accountId, period, keyId }
    if (wrapped === null) return { ...place, key: null }
    return { ...place, key: createSealingKey(unwrap(masters.of(masterId), wrapped, place), place) }
  }

  return {
    async ensure(accountId, periods) {
      const found = await database.query<KeyRow>(FIND, [accountId, periods])
      const isWhole = periods.every((period) => found.some((row) => row.period === period))
      if (isWhole || found.some(({ period, wrapped }) => period === '' && wrapped === null))
        return found.map(storedKey)
      const made = await makeKeys(database, masters, accountId, periods)
      return made.map(storedKey)
    },
    async ofAccount(accountId) {
      const rows = await database.query<KeyRow>(
        `SELECT ${FIELDS} FROM personal_data.account_key WHERE account_id = $1 ORDER BY period`,
        [accountId],
      )
      return rows.map(storedKey)
    },
    async byId(keyIds) {
      if (keyIds.length === 0) return []
      const rows = await database.query<KeyRow>(
        `SELECT ${FIELDS} FROM personal_data.account_key WHERE key_id = ANY ($1::text[])`,
        [keyIds],
      )
      const found = new Set(rows.map(({ keyId }) => keyId))
      return [...rows.map(storedKey), ...(await references.byId(keyIds.filter((id) => !found.has(id))))]
    },
    references,
  }
}

/** Ids of the installation keys that wrap a key; empty for a database of a release without them. */
export async function mastersInUse(database: Queryable): Promise<string[]> {
  const [table] = await database.query<{ isThere: boolean }>(
    `SELECT to_regclass('personal_data.account_key') IS NOT NULL AS "isThere"`,
  )
  if (table?.isThere !== true) return []
  // A reference key is wrapped under the same installation key as the key of its account.
  const rows = await database.query<{ masterId: string }>(
    `SELECT DISTINCT master_id AS "masterId" FROM personal_data.account_key WHERE wrapped IS NOT NULL ORDER BY 1`,
  )
  return rows.map(({ masterId }) => masterId)
}

async function makeKeys(
  database: Database,
  masters: OpenMasters,
  accountId: string,
  periods: readonly string[],
): Promise<KeyRow[]> {
  return await database.transaction({ at: 'personal-data.key' }, async (transaction) => {
    await lockMasters(transaction, 'one')
    await lockKeysOf(transaction, accountId)
    // Read under the lock, so that no key is wrapped under a key that is being removed.
    const { activeId } = masters.readAgain()
    const found = await transaction.query<KeyRow>(FIND, [accountId, ['', ...periods]])
    const isErased = found.some(({ period, wrapped }) => period === '' && wrapped === null)
    const missing = isErased ? [] : periods.filter((period) => found.every((row) => row.period !== period))
    // All keys of an account are wrapped under one key of the installation.
    const masterId = found.find((row) => row.period === '')?.masterId ?? activeId
    const master = missing.length === 0 ? null : masters.of(masterId)
    for (const period of missing) {
      const place = { accountId, period, keyId: newKeyId() }
      await transaction.execute(
        `INSERT INTO personal_data.account_key (account_id, period, key_id, master_id, wrapped) VALUES ($1, $2, $3, $4, $5)`,
        [...[accountId, period, place.keyId, masterId], wrap(master!, randomBytes(KEY_BYTES), place)],
      )
    }
    return await transaction.query<KeyRow>(FIND, [accountId, ['', ...periods]])
  })
}
