/** The text of keys and session tokens: a prefix, then a public id, a secret and a checksum in base 62. */
import { crc32 } from '../address/crc.js'

/** Base 62 in the order of GitHub's tokens: digits, upper case, lower case. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = 62n

const ID_LENGTH = 8
/** 256 bits need 43 digits of base 62. */
const SECRET_LENGTH = 43
/** A secret of at least this length is accepted, so that the length may change without a new prefix. */
const MIN_SECRET_LENGTH = 32
const MAX_SECRET_LENGTH = 86
/** CRC-32 in base 62. */
const CHECKSUM_LENGTH = 6

const ID_BYTES = 6
const SECRET_BYTES = 32
/** Number of random bytes in a token. */
export const TOKEN_RANDOM_BYTES = ID_BYTES + SECRET_BYTES

/** Throws a RangeError unless there are exactly TOKEN_RANDOM_BYTES random bytes. */
export function renderToken(
  prefix: string,
  random: Uint8Array,
): { readonly id: string; readonly text: string } {
  if (random.length !== TOKEN_RANDOM_BYTES)
    throw new RangeError(`A token is made of ${TOKEN_RANDOM_BYTES} random bytes, not ${random.length}`)
  // 47 bits lie below 62^8, so that every id is as likely as any other.
  const id = toBase62(bytesToNumber(random.subarray(0, ID_BYTES)) >> 1n, ID_LENGTH)
  const body = prefix + id + toBase62(bytesToNumber(random.subarray(ID_BYTES)), SECRET_LENGTH)
  return { id, text: body + checksumOf(body) }
}

const BODY = new RegExp(
  `^([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${MIN_SECRET_LENGTH},${MAX_SECRET_LENGTH}}([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

/** The id in a token; null for other text and for a wrong checksum. */
export function parseToken(prefix: string, text: string): string | null {
  if (!text.startsWith(prefix)) return null
  const matched = BODY.exec(text.slice(prefix.length))
  if (matched === null) return null
  const [, id, checksum] = matched
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === checksum ? id! : null
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
