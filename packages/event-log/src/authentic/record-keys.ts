/** The secret keys of record MACs. They are in a file that is read only by processes that append to the log or read it. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { secretKeyFile, type SecretKeys } from '@cupel/signing'

export interface RecordKeys {
  /** The key for new records. */
  readonly activeId: string
  readonly byId: ReadonlyMap<string, KeyObject>
}

/** The file of the keys is faulty, or does not meet the requirement in the database; the message says what to do. */
export class RecordKeysError extends Error {
  override readonly name = 'RecordKeysError'
}

const keyFile = secretKeyFile({
  idPrefix: 'cupel record key id v1 ',
  subject: 'The record keys',
  form: 'a file of record keys',
  setting: 'CUPEL_RECORD_KEYS_FILE',
  Failure: RecordKeysError,
})

/** Throws RecordKeysError if the file is missing or is not a file of keys. */
export const readRecordKeys = (file: string): RecordKeys => recordKeys(keyFile.read(file))

/** The keys of the file; makes the first one if there is no file. */
export const ensureRecordKeys = (file: string): RecordKeys => recordKeys(keyFile.ensure(file))

/** Adds an unused key and returns its id. If there is no file, makes it with the key as the active one. */
export const addRecordKey = (file: string): string => keyFile.add(file, { isActive: false })

/** Makes a key of the file the active one. Throws RecordKeysError if the file does not hold it. */
export const useRecordKey = (file: string, keyId: string): void => keyFile.use(file, keyId)

const recordKeys = ({ activeId, byId }: SecretKeys): RecordKeys => ({
  activeId,
  byId: new Map([...byId].map(([id, key]) => [id, createSecretKey(key)])),
})
