/** The keys of the installation that wrap the keys of accounts, in a file that the database does not have. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { KEY_BYTES } from './sealed-text.js'

export interface MasterKeys {
  /** The key that wraps new keys. */
  readonly activeId: string
  readonly byId: ReadonlyMap<string, Buffer>
}

/** The file is not in order, or the database needs a key that it does not hold; the message says what to do. */
export class PersonalDataKeysError extends Error {
  override readonly name = 'PersonalDataKeysError'
}

const KEY_ID_CHARACTERS = 12
const OWNER_ALONE = 0o600
const OWNER_FOLDER = 0o700
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Throws PersonalDataKeysError where the file is missing or is not a file of keys. */
export function readMasterKeys(file: string): MasterKeys {
  const { active, keys } = readKeyFile(file)
  const byId = new Map(keys.map((key) => [masterKeyId(key), Buffer.from(key, 'base64url')]))
  if (!byId.has(active))
    throw new PersonalDataKeysError(`${file} names ${active} as its active key and does not hold it.`)
  return { activeId: active, byId }
}

/** The keys of the file; the first of them is made where there is no file. */
export function ensureMasterKeys(file: string): MasterKeys {
  if (!existsSync(file)) {
    const key = newKey()
    writeKeyFile(file, { active: masterKeyId(key), keys: [key] })
  }
  return readMasterKeys(file)
}

/** Makes a key that wraps from now on, and returns its id. The file keeps the others. */
export function addMasterKey(file: string): string {
  if (!existsSync(file)) return ensureMasterKeys(file).activeId
  const { keys } = readKeyFile(file)
  const key = newKey()
  writeKeyFile(file, { active: masterKeyId(key), keys: [...keys, key] })
  return masterKeyId(key)
}

/** Removes every key but the active one: what the others wrap can never be read again. */
export function removeOldMasterKeys(file: string): void {
  const { active, keys } = readKeyFile(file)
  writeKeyFile(file, { active, keys: keys.filter((key) => masterKeyId(key) === active) })
}

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

/** Throws PersonalDataKeysError where the bytes are not those that were wrapped. */
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

/** Follows from the key, so that no two keys share an id and a wrong key has another one. */
function masterKeyId(key: string): string {
  return createHash('sha256')
    .update('cupel personal data key id v1 ')
    .update(Buffer.from(key, 'base64url'))
    .digest('hex')
    .slice(0, KEY_ID_CHARACTERS)
}

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url')

interface KeyFile {
  readonly active: string
  readonly keys: readonly string[]
}

function readKeyFile(file: string): KeyFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new PersonalDataKeysError(
      `The keys of personal data cannot be read from ${file} (${(cause as NodeJS.ErrnoException).code}): restore the file, or correct CUPEL_PERSONAL_DATA_KEYS_FILE.`,
      { cause },
    )
  }
  const parsed = parse(text)
  if (parsed === null)
    throw new PersonalDataKeysError(
      `${file} is not a file of keys: { "active": "<key id>", "keys": ["<${KEY_BYTES} bytes in base64url>"] }.`,
    )
  return parsed
}

/** The text may hold secrets: no message repeats it. */
function parse(text: string): KeyFile | null {
  try {
    const { active, keys } = JSON.parse(text) as Partial<KeyFile>
    const isKey = (key: unknown): boolean =>
      typeof key === 'string' && Buffer.from(key, 'base64url').length === KEY_BYTES
    if (typeof active !== 'string' || !Array.isArray(keys) || !keys.every(isKey)) return null
    return { active, keys: keys as string[] }
  } catch {
    return null
  }
}

/** The file is complete or not there, also after a crash. */
function writeKeyFile(file: string, content: KeyFile): void {
  mkdirSync(dirname(file), { recursive: true, mode: OWNER_FOLDER })
  const draft = `${file}.${process.pid}.draft`
  const descriptor = openSync(draft, 'w', OWNER_ALONE)
  try {
    writeSync(descriptor, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}
