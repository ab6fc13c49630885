/** Files of secret keys, `{ "active": "<key id>", "keys": ["<32 bytes in base64url>"] }`, that only their owner may read. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceKeyFile } from './key-file.js'

export interface SecretKeyKind {
  /** Hashed before the key to make its id: keys of two kinds never share an id. */
  readonly idPrefix: string
  /** Begins a sentence: `The record keys`. */
  readonly subject: string
  /** The name of such a file in error messages: `a file of record keys`. */
  readonly form: string
  /** The setting that names the file. */
  readonly setting: string
  /** The class of errors that are thrown; the message says what to do. */
  readonly Failure: new (message: string, options?: ErrorOptions) => Error
}

export interface SecretKeys {
  readonly activeId: string
  /** By id, in the order of the file. */
  readonly byId: ReadonlyMap<string, Buffer>
}

/** Every function throws the Failure of the kind if the file is not a file of keys, or does not hold its active key. */
export interface SecretKeyFile {
  /** Throws if there is no file. */
  read(file: string): SecretKeys
  /** The keys of the file. Makes the file with a first key if there is none. */
  ensure(file: string): SecretKeys
  /** Adds a key and returns its id. It becomes the active one if `isActive`, or if there was no file. */
  add(file: string, options: { readonly isActive: boolean }): string
  /** Makes a key of the file the active one. Throws if the file does not hold it. */
  use(file: string, keyId: string): void
  /** Removes every key except the active one. */
  removeOthers(file: string): void
}

export const SECRET_KEY_BYTES = 32
const KEY_ID_CHARACTERS = 12
const OWNER_FOLDER = 0o700

export function secretKeyFile(kind: SecretKeyKind): SecretKeyFile {
  const { idPrefix, form, Failure } = kind
  /** Computed from the key, so that no two keys share an id and a wrong key has another id. */
  const idOf = (key: Buffer): string =>
    createHash('sha256').update(idPrefix).update(key).digest('hex').slice(0, KEY_ID_CHARACTERS)

  function read(file: string): SecretKeys {
    const parsed = parse(textOf(file, kind))
    if (parsed === null)
      throw new Failure(
        `${file} is not ${form}: { "active": "<key id>", "keys": ["<${SECRET_KEY_BYTES} bytes in base64url>"] }.`,
      )
    const byId = new Map(parsed.keys.map((key) => [idOf(key), key]))
    if (!byId.has(parsed.active))
      throw new Failure(`${file} names ${parsed.active} as its active key and does not hold it.`)
    return { activeId: parsed.active, byId }
  }

  function ensure(file: string): SecretKeys {
    if (!existsSync(file)) {
      const key = randomBytes(SECRET_KEY_BYTES)
      write(file, idOf(key), [key])
    }
    return read(file)
  }

  return {
    read,
    ensure,
    add(file, { isActive }) {
      if (!existsSync(file)) return ensure(file).activeId
      const { activeId, byId } = read(file)
      const key = randomBytes(SECRET_KEY_BYTES)
      write(file, isActive ? idOf(key) : activeId, [...byId.values(), key])
      return idOf(key)
    },
    use(file, keyId) {
      const { byId } = read(file)
      if (!byId.has(keyId)) throw new Failure(`${file} does not hold the key ${keyId}.`)
      write(file, keyId, [...byId.values()])
    },
    removeOthers(file) {
      const { activeId, byId } = read(file)
      write(file, activeId, [byId.get(activeId)!])
    },
  }
}

function textOf(file: string, { subject, setting, Failure }: SecretKeyKind): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(
      `${subject} cannot be read from ${file} (${(cause as NodeJS.ErrnoException).code}): restore the file, or correct ${setting}.`,
      { cause },
    )
  }
}

/** The text may hold secrets: no message repeats it. */
function parse(text: string): { readonly active: string; readonly keys: readonly Buffer[] } | null {
  try {
    const { active, keys } = JSON.parse(text) as { active?: unknown; keys?: unknown }
    if (typeof active !== 'string' || !Array.isArray(keys)) return null
    const whole = keys.flatMap((key: unknown) => {
      const bytes = typeof key === 'string' ? Buffer.from(key, 'base64url') : null
      return bytes?.length === SECRET_KEY_BYTES ? [bytes] : []
    })
    return whole.length === keys.length ? { active, keys: whole } : null
  } catch {
    return null
  }
}

function write(file: string, active: string, keys: readonly Buffer[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: OWNER_FOLDER })
  replaceKeyFile(file, { active, keys: keys.map((key) => key.toString('base64url')) })
}
