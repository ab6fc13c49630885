/** Shared by the stores of keys: reading a key, and the locks for changing keys. */
import { randomBytes } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'
import { PersonalDataKeysError, readMasterKeys, type MasterKeys } from './master-keys.js'
import type { SealingKey } from './sealed-text.js'

export interface StoredKey {
  readonly accountId: string
  /** Empty for the key of the account, the month whose client addresses it seals, or `reference`. */
  readonly period: string
  readonly keyId: string
  /** Null once it is destroyed. */
  readonly key: SealingKey | null
}

/** The keys of the installation, by id. */
export interface Masters {
  /** Throws PersonalDataKeysError if the file lacks the key. */
  of(masterId: string): Buffer
}

export interface OpenMasters extends Masters {
  /** The keys as the file has them now. */
  readAgain(): MasterKeys
}

/** Throws PersonalDataKeysError if there is no such file. The file is read again for an unknown key: an operator may have added it. */
export function openMasters(file: string): OpenMasters {
  let masters = readMasterKeys(file)
  const readAgain = (): MasterKeys => (masters = readMasterKeys(file))
  return {
    readAgain,
    of(masterId) {
      const master = masters.byId.get(masterId) ?? readAgain().byId.get(masterId)
      if (master !== undefined) return master
      throw new PersonalDataKeysError(
        `Personal data is sealed under the key ${masterId}, which ${file} does not hold: restore the file.`,
      )
    },
  }
}

/** Locks the keys of an account: only one transaction at a time makes or destroys them. */
export async function lockKeysOf(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `cupel.personal-data ${accountId}`,
  ])
}

/** While the key of the installation is replaced (`all`), no other transaction wraps a key. */
export async function lockMasters(transaction: Queryable, who: 'one' | 'all'): Promise<void> {
  const lock = who === 'all' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared'
  await transaction.query(`SELECT ${lock}(hashtextextended('cupel.personal-data masters', 0))`)
}

const KEY_ID_BYTES = 8
export const newKeyId = (): string => randomBytes(KEY_ID_BYTES).toString('hex')
