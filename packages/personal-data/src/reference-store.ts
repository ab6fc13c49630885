/**
 * The keys of customer references: one for each reference of an account, so that each can be destroyed by itself. A keyed hash of the
 * reference finds its row, and is destroyed with the key. Every row of an account is wrapped under the same key of the installation.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Database, Queryable } from '@cupel/postgres'
import { unwrap, wrap } from './master-keys.js'
import { createSealingKey, KEY_BYTES } from './sealed-text.js'
import { lockKeysOf, lockMasters, newKeyId, type Masters, type StoredKey } from './stored-key.js'

/** Used in place of a month in the key of a reference. */
export const REFERENCE = 'reference'

export interface ReferenceStore {
  /** The key of each reference; missing keys are made. Null if the account was erased. */
  ensure(accountId: string, references: readonly string[]): Promise<ReadonlyMap<string, StoredKey> | null>
  /** Null if no key seals the reference: it was never stored, or it was erased. */
  find(accountId: string, reference: string): Promise<StoredKey | null>
  byId(keyIds: readonly string[]): Promise<readonly StoredKey[]>
}

export interface ReferenceRow {
  readonly keyId: string
  readonly accountId: string
  readonly masterId: string
  readonly wrapped: Buffer | null
}

interface FoundRow extends ReferenceRow {
  readonly hash: Buffer
}

export const REFERENCE_FIELDS = `key_id AS "keyId", account_id AS "accountId", master_id AS "masterId", wrapped`
const FIND = {
  name: 'personal-data.find-references',
  text: `SELECT ${REFERENCE_FIELDS}, reference_hash AS hash FROM personal_data.reference_key
         WHERE account_id = $1 AND reference_hash = ANY ($2::bytea[])`,
}
const FIND_MASTER = {
  name: 'personal-data.find-master',
  text: `SELECT master_id AS "masterId", wrapped IS NULL AS "isErased" FROM personal_data.account_key
         WHERE account_id = $1 AND period = ''`,
}

export function createReferenceStore(database: Database, masters: Masters): ReferenceStore {
  const stored = (row: ReferenceRow): StoredKey => storedKey(row, masters)

  /** Null if the account has no key: it was erased, or never sealed anything. */
  async function masterIdOf(queryable: Queryable, accountId: string): Promise<string | null> {
    const [row] = await queryable.query<{ masterId: string; isErased: boolean }>(FIND_MASTER, [accountId])
    return row === undefined || row.isErased ? null : row.masterId
  }

  async function find(
    queryable: Queryable,
    accountId: string,
    references: readonly string[],
    masterId: string,
  ): Promise<Map<string, StoredKey>> {
    const master = masters.of(masterId)
    const byHash = new Map(
      references.map((reference) => [referenceHash(master, accountId, reference).toString('hex'), reference]),
    )
    const rows = await queryable.query<FoundRow>(FIND, [
      accountId,
      [...byHash.keys()].map((hash) => Buffer.from(hash, 'hex')),
    ])
    return new Map(rows.map((row) => [byHash.get(row.hash.toString('hex'))!, stored(row)]))
  }

  return {
    async ensure(accountId, references) {
      const masterId = await masterIdOf(database, accountId)
      if (masterId === null) return null
      const found = await find(database, accountId, references, masterId)
      if (found.size === new Set(references).size) return found
      return await database.transaction({ at: 'personal-data.key' }, async (transaction) => {
        await lockMasters(transaction, 'one')
        await lockKeysOf(transaction, accountId)
        const present = await masterIdOf(transaction, accountId)
        if (present === null) return null
        const known = await find(transaction, accountId, references, present)
        const missing = [...new Set(references)].filter((reference) => !known.has(reference))
        const made = await insert(transaction, accountId, missing, {
          masterId: present,
          master: masters.of(present),
        })
        return new Map([...known, ...made])
      })
    },
    async find(accountId, reference) {
      // The key of the installation may change between the two statements: the second look-up uses the new one.
      for (let looks = 0; looks < 2; looks += 1) {
        const masterId = await masterIdOf(database, accountId)
        if (masterId === null) return null
        const found = await find(database, accountId, [reference], masterId)
        if (found.size > 0) return found.get(reference)!
      }
      return null
    },
    async byId(keyIds) {
      if (keyIds.length === 0) return []
      const rows = await database.query<ReferenceRow>(
        `SELECT ${REFERENCE_FIELDS} FROM personal_data.reference_key WHERE key_id = ANY ($1::text[])`,
        [keyIds],
      )
      return rows.map(stored)
    },
  }
}

async function insert(
  transaction: Queryable,
  accountId: string,
  references: readonly string[],
  { masterId, master }: { readonly masterId: string; readonly master: Buffer },
): Promise<Map<string, StoredKey>> {
  const rows = references.map((reference) => {
    const [keyId, secret] = [newKeyId(), randomBytes(KEY_BYTES)]
    const place = { accountId, period: REFERENCE, keyId }
    return {
      ...{ keyId, reference, hash: referenceHash(master, accountId, reference) },
      wrapped: wrapReference(master, place, { secret, reference }),
      stored: { ...place, key: createSealingKey(secret, place) },
    }
  })
  await transaction.execute(
    `INSERT INTO personal_data.reference_key (key_id, account_id, reference_hash, master_id, wrapped)
     SELECT key_id, $1, reference_hash, $2, wrapped
     FROM unnest($3::text[], $4::bytea[], $5::bytea[]) AS given (key_id, reference_hash, wrapped)`,
    [
      ...[accountId, masterId],
      ...[rows.map(({ keyId }) => keyId), rows.map(({ hash }) => hash), rows.map(({ wrapped }) => wrapped)],
    ],
  )
  return new Map(rows.map((row) => [row.reference, row.stored]))
}

function storedKey({ keyId, accountId, masterId, wrapped }: ReferenceRow, masters: Masters): StoredKey {
  const place = { accountId, period: REFERENCE, keyId }
  if (wrapped === null) return { ...place, key: null }
  const { secret } = unwrapReference(masters.of(masterId), { keyId, accountId }, wrapped)
  return { ...place, key: createSealingKey(secret, place) }
}

export interface KeyAndReference {
  /** 32 bytes. */
  readonly secret: Uint8Array
  readonly reference: string
}
type Place = Pick<ReferenceRow, 'keyId' | 'accountId'>

/** The reference is wrapped with the key, so that its hash can be recomputed under another key of the installation. */
export function wrapReference(master: Buffer, place: Place, { secret, reference }: KeyAndReference): Buffer {
  return wrap(master, Buffer.concat([secret, Buffer.from(reference, 'utf8')]), {
    ...place,
    period: REFERENCE,
  })
}

/** Throws PersonalDataKeysError if the bytes were not wrapped with this key or were changed. */
export function unwrapReference(master: Buffer, place: Place, wrapped: Uint8Array): KeyAndReference {
  const bytes = unwrap(master, wrapped, { ...place, period: REFERENCE })
  return { secret: bytes.subarray(0, KEY_BYTES), reference: bytes.subarray(KEY_BYTES).toString('utf8') }
}

/** 32 bytes. Without the key of the installation it is impossible to test a guess. */
export function referenceHash(master: Buffer, accountId: string, reference: string): Buffer {
  return createHmac('sha256', hashKeyOf(master))
    .update(JSON.stringify([accountId, reference]))
    .digest()
}

const hashKeys = new WeakMap<Buffer, Buffer>()

function hashKeyOf(master: Buffer): Buffer {
  const known = hashKeys.get(master)
  if (known !== undefined) return known
  const made = Buffer.from(hkdfSync('sha256', master, '', 'cupel references', KEY_BYTES))
  hashKeys.set(master, made)
  return made
}
