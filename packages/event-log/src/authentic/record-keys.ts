/** The secret keys of record MACs, in a file that only the processes read that append to the log or read it. */
import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'

export interface RecordKeys {
  /** The key that new records get. */
  readonly activeId: string
  readonly byId: ReadonlyMap<string, KeyObject>
}

/** The file of the keys, or what the database requires of it, is not in order; the message says what to do. */
export class RecordKeysError extends Error {
  override readonly name = 'RecordKeysError'
}

interface KeyFile {
  readonly active: string
  readonly keys: readonly string[]
}

const KEY_BYTES = 32
const KEY_ID_CHARACTERS = 12
const OWNER_ALONE = 0o600

/** Throws RecordKeysError where the file is missing or is not a file of keys. */
export function readRecordKeys(file: string): RecordKeys {
  const { active, keys } = readKeyFile(file)
  const byId = new Map(
    keys.map((text) => [recordKeyId(text), createSecretKey(Buffer.from(text, 'base64url'))]),
  )
  if (!byId.has(active))
    throw new RecordKeysError(`${file} names ${active} as its active key and does not hold it.`)
  return { activeId: active, byId }
}

/** The keys of the file; the first of them is made where there is no file. */
export function ensureRecordKeys(file: string): RecordKeys {
  if (!existsSync(file)) {
    const key = newKey()
    writeKeyFile(file, { active: recordKeyId(key), keys: [key] })
  }
  return readRecordKeys(file)
}

/** Adds a key that nothing uses yet and returns its id. Makes the file, with the key as the active one, where there is none. */
export function addRecordKey(file: string): string {
  if (!existsSync(file)) return ensureRecordKeys(file).activeId
  const { active, keys } = readKeyFile(file)
  const key = newKey()
  writeKeyFile(file, { active, keys: [...keys, key] })
  return recordKeyId(key)
}

/** Makes a key of the file the active one. Throws RecordKeysError where the file does not hold it. */
export function useRecordKey(file: string, keyId: string): void {
  const { keys } = readKeyFile(file)
  if (!keys.some((key) => recordKeyId(key) === keyId))
    throw new RecordKeysError(`${file} does not hold the key ${keyId}.`)
  writeKeyFile(file, { active: keyId, keys })
}

/** Follows from the key, so that no two keys share an id and a wrong key has another one. */
function recordKeyId(key: string): string {
  return createHash('sha256')
    .update('cupel record key id v1 ')
    .update(Buffer.from(key, 'base64url'))
    .digest('hex')
    .slice(0, KEY_ID_CHARACTERS)
}

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url')

function readKeyFile(file: string): KeyFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RecordKeysError(
      `The record keys cannot be read from ${file} (${(cause as NodeJS.ErrnoException).code}): restore the file, or correct CUPEL_RECORD_KEYS_FILE.`,
      { cause },
    )
  }
  const parsed = parse(text)
  if (parsed === null)
    throw new RecordKeysError(
      `${file} is not a file of record keys: { "active": "<key id>", "keys": ["<${KEY_BYTES} bytes in base64url>"] }.`,
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
