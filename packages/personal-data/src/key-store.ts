/** The keys of accounts as the database holds them, wrapped under the keys of the installation. */
import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from '@cupel/postgres'
import { PersonalDataKeysError, readMasterKeys, unwrap, wrap, type MasterKeys } from './master-keys.js'
import { createSealingKey, KEY_BYTES, type SealingKey } from './sealed-text.js'

export interface StoredKey {
  readonly accountId: string
  /** Empty, or the month of the client addresses that it seals. */
  readonly period: string
  readonly keyId: string
  /** Null once it is destroyed. */
  readonly key: SealingKey | null
}

export interface KeyStore {
  /** The keys of an account for these periods, made where there are none. None is made where that of the account was destroyed. */
  ensure(accountId: string, periods: readonly string[]): Promise<readonly StoredKey[]>
  ofAccount(accountId: string): Promise<readonly StoredKey[]>
  byId(keyIds: readonly string[]): Promise<readonly StoredKey[]>
}

interface KeyRow {
  readonly accountId: string
  readonly period: string
  readonly keyId: string
  readonly masterId: string
  readonly wrapped: Buffer | null
}

const KEY_ID_BYTES = 8
const FIELDS = `account_id AS "accountId", period, key_id AS "keyId", master_id AS "masterId", wrapped`
const FIND = {
  name: 'personal-data.find-keys',
  text: `SELECT ${FIELDS} FROM personal_data.account_key WHERE account_id = $1 AND period = ANY ($2::text[])`,
}

/** Throws PersonalDataKeysError where `file` lacks a key that is in use. */
export async function openKeyStore(database: Database, file: string): Promise<KeyStore> {
  let masters = readMasterKeys(file)
  for (const masterId of await mastersInUse(database)) masterOf(masterId)

  /** The file is read again where a key is new: an operator may have added it since. */
  function masterOf(masterId: string): Buffer {
    if (!masters.byId.has(masterId)) masters = readMasterKeys(file)
    const master = masters.byId.get(masterId)
    if (master !== undefined) return master
    throw new PersonalDataKeysError(
      `Personal data is sealed under the key ${masterId}, which ${file} does not hold: restore the file.`,
    )
  }

  function storedKey({ accountId, period, keyId, masterId, wrapped }: KeyRow): StoredKey {
    const place = { accountId, period, keyId }
    if (wrapped === null) return { ...place, key: null }
    return { ...place, key: createSealingKey(unwrap(masterOf(masterId), wrapped, place), place) }
  }

  return {
    async ensure(accountId, periods) {
      const found = await database.query<KeyRow>(FIND, [accountId, periods])
      const isWhole = periods.every((period) => found.some((row) => row.period === period))
      if (isWhole || found.some(({ period, wrapped }) => period === '' && wrapped === null))
        return found.map(storedKey)
      const made = await makeKeys(database, () => (masters = readMasterKeys(file)), accountId, periods)
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
      return rows.map(storedKey)
    },
  }
}

/** Ids of the keys of the installation that wrap something; none in a database of a release without them. */
export async function mastersInUse(database: Queryable): Promise<string[]> {
  const [table] = await database.query<{ isThere: boolean }>(
    `SELECT to_regclass('personal_data.account_key') IS NOT NULL AS "isThere"`,
  )
  if (table?.isThere !== true) return []
  const rows = await database.query<{ masterId: string }>(
    `SELECT DISTINCT master_id AS "masterId" FROM personal_data.account_key WHERE wrapped IS NOT NULL ORDER BY 1`,
  )
  return rows.map(({ masterId }) => masterId)
}

/** One maker or destroyer of the keys of an account at a time. */
export async function lockKeysOf(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `cupel.personal-data ${accountId}`,
  ])
}

/** While the key of the installation is exchanged (`all`), nobody wraps another one. */
export async function lockMasters(transaction: Queryable, who: 'one' | 'all'): Promise<void> {
  const lock = who === 'all' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared'
  await transaction.query(`SELECT ${lock}(hashtextextended('cupel.personal-data masters', 0))`)
}

async function makeKeys(
  database: Database,
  readMasters: () => MasterKeys,
  accountId: string,
  periods: readonly string[],
): Promise<KeyRow[]> {
  return await database.transaction({ at: 'personal-data.key' }, async (transaction) => {
    await lockMasters(transaction, 'one')
    await lockKeysOf(transaction, accountId)
    // Read under the lock: no key is wrapped under one that is being taken away.
    const masters = readMasters()
    const found = await transaction.query<KeyRow>(FIND, [accountId, ['', ...periods]])
    const isErased = found.some(({ period, wrapped }) => period === '' && wrapped === null)
    const missing = isErased ? [] : periods.filter((period) => found.every((row) => row.period !== period))
    for (const period of missing) {
      const place = { accountId, period, keyId: newKeyId() }
      await transaction.execute(
        `INSERT INTO personal_data.account_key (account_id, period, key_id, master_id, wrapped) VALUES ($1, $2, $3, $4, $5)`,
        [
          ...[accountId, period, place.keyId, masters.activeId],
          wrap(masters.byId.get(masters.activeId)!, randomBytes(KEY_BYTES), place),
        ],
      )
    }
    return await transaction.query<KeyRow>(FIND, [accountId, ['', ...periods]])
  })
}

export const newKeyId = (): string => randomBytes(KEY_ID_BYTES).toString('hex')
