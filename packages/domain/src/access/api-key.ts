/**
 * API keys: `cpl_<environment>_<8 id><43 secret><6 checksum>`, letters and digits only after the prefix.
 * Recognisable by secret scanners; a mistyped key is refused by its checksum, without a look-up.
 */
import { crc32 } from '../address/crc.js'

export type Environment = 'live' | 'test'

/** Base 62 in the order of GitHub's tokens: digits, upper case, lower case. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = 62n

const KEY_ID_LENGTH = 8
/** 256 bits need 43 digits of base 62. */
const SECRET_LENGTH = 43
/** A secret of at least this length is accepted, so that the length may change without a new prefix. */
const MIN_SECRET_LENGTH = 32
const MAX_SECRET_LENGTH = 86
/** CRC-32 in base 62. */
const CHECKSUM_LENGTH = 6

const ID_BYTES = 6
const SECRET_BYTES = 32
/** Random bytes a new key is made of. */
export const API_KEY_RANDOM_BYTES = ID_BYTES + SECRET_BYTES

export interface ApiKeyParts {
  readonly environment: Environment
  /** Public part: names the key in lists, logs and audit entries. */
  readonly keyId: string
}

/** Writes a key from random bytes; throws unless there are exactly API_KEY_RANDOM_BYTES of them. */
export function renderApiKey(
  environment: Environment,
  random: Uint8Array,
): ApiKeyParts & { readonly key: string } {
  if (random.length !== API_KEY_RANDOM_BYTES) {
    throw new RangeError(`A key is made of ${API_KEY_RANDOM_BYTES} random bytes, not ${random.length}`)
  }
  // 47 bits lie below 62^8, so that every id is as likely as any other.
  const keyId = toBase62(bytesToNumber(random.subarray(0, ID_BYTES)) >> 1n, KEY_ID_LENGTH)
  const secret = toBase62(bytesToNumber(random.subarray(ID_BYTES)), SECRET_LENGTH)
  const body = `cpl_${environment}_${keyId}${secret}`
  return { environment, keyId, key: body + checksumOf(body) }
}

const KEY_PATTERN = new RegExp(
  `^cpl_(live|test)_([0-9A-Za-z]{${KEY_ID_LENGTH}})` +
    `[0-9A-Za-z]{${MIN_SECRET_LENGTH},${MAX_SECRET_LENGTH}}([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

/** Parses the text of a key; null for other text and for a wrong checksum. It does not check whether the key exists. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const matched = KEY_PATTERN.exec(text)
  if (matched === null) return null
  const [, environment, keyId, checksum] = matched
  if (checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== checksum) return null
  return { environment: environment as Environment, keyId: keyId! }
}

/** Text that begins like a key and has at least a few characters of a secret, in any letter case. */
const LOOKS_LIKE_KEY = /cpl_(?:live|test)_[0-9a-z]{16,}/gi

/** The text without everything that looks like a key, for messages about unchecked input. */
export function withoutApiKeys(text: string): string {
  return text.replaceAll(LOOKS_LIKE_KEY, 'cpl_[removed]')
}

/** Every call computes it, so it uses no BigInt: a checksum fits a number. */
function checksumOf(body: string): string {
  const bytes = new Uint8Array(body.length)
  for (let index = 0; index < body.length; index += 1) bytes[index] = body.charCodeAt(index)
  let digits = ''
  for (let rest = crc32(bytes); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / ALPHABET.length))
    digits = ALPHABET[rest % ALPHABET.length]! + digits
  return digits
}

function bytesToNumber(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return value
}

function toBase62(value: bigint, length: number): string {
  let out = ''
  for (let rest = value; out.length < length; rest /= BASE) out = ALPHABET[Number(rest % BASE)]! + out
  return out
}
