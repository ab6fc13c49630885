/** The keys of the installation, which wrap the keys of accounts. They are in a file outside the database. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { secretKeyFile, type SecretKeys } from '@cupel/signing'

/** The active key wraps new keys. */
export type MasterKeys = SecretKeys

/** The file is invalid, or it lacks a key that the database needs; the message says what to do. */
export class PersonalDataKeysError extends Error {
  override readonly name = 'PersonalDataKeysError'
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const keyFile = secretKeyFile({
  idPrefix: 'cupel personal data key id v1 ',
  subject: 'The keys of personal data',
  form: 'a file of keys',
  setting: 'CUPEL_PERSONAL_DATA_KEYS_FILE',
  Failure: PersonalDataKeysError,
})

/** Throws PersonalDataKeysError if the file is missing or is not a file of keys. */
export const readMasterKeys = (file: string): MasterKeys => keyFile.read(file)

/** Returns the keys of the file. Creates the file with a first key if it is missing. */
export const ensureMasterKeys = (file: string): MasterKeys => keyFile.ensure(file)

/** Creates the key that wraps new keys from now on, and returns its id. The file keeps the others. */
export const addMasterKey = (file: string): string => keyFile.add(file, { isActive: true })

/** Removes every key except the active one: keys that the others wrap can never be read again. */
export const removeOldMasterKeys = (file: string): void => keyFile.removeOthers(file)

export interface WrappedKey {
  readonly accountId: string
  readonly period: string
  readonly keyId: string
}

export function wrap(master: Buffer, secret: Uint8Array, place: WrappedKey): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, master, nonce).setAAD(bound(place))
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

/** Throws PersonalDataKeysError if the bytes were not wrapped with this key or were changed. */
export function unwrap(master: Buffer, wrapped: Uint8Array, place: WrappedKey): Buffer {
  const decipher = createDecipheriv(CIPHER, master, wrapped.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(bound(place))
    .setAuthTag(wrapped.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch (cause) {
    throw new PersonalDataKeysError(
      `The key ${place.keyId} in the schema personal_data was changed: restore the schema from its backup.`,
      { cause },
    )
  }
}

const bound = ({ accountId, period, keyId }: WrappedKey): Buffer =>
  Buffer.from(JSON.stringify(['cupel-account-key-1', accountId, period, keyId]))
