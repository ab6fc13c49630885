/** Addresses in RFC 4648 Base32: Stellar's StrKey and Algorand. */
import { sha512_256 } from '@noble/hashes/sha2.js'
import { base32nopad } from '@scure/base'
import { attempt, type Reader } from './address-form.js'
import { crc16 } from './crc.js'

/** StrKey version bytes (SEP-23): account G…, muxed account M… (an account and an id), contract C…. */
const STELLAR_ACCOUNT = 6 << 3
const STELLAR_MUXED = 12 << 3
const STELLAR_CONTRACT = 2 << 3

export const readStellar: Reader = (text) => {
  const bytes = attempt(() => base32nopad.decode(text))
  if (bytes === undefined) return 'bad_format'
  const checksum = crc16(bytes.subarray(0, -2))
  if (bytes.at(-2) !== (checksum & 0xff) || bytes.at(-1) !== checksum >> 8) return 'bad_checksum'
  if (bytes.length === 35 && bytes[0] === STELLAR_ACCOUNT) {
    return { format: 'stellar-account', canonical: text, lookupKey: `xlm:${text}` }
  }
  if (bytes.length === 35 && bytes[0] === STELLAR_CONTRACT) {
    return { format: 'stellar-contract', canonical: text, lookupKey: `xlm:${text}` }
  }
  if (bytes.length !== 43 || bytes[0] !== STELLAR_MUXED) return 'bad_format'
  const body = Uint8Array.from([STELLAR_ACCOUNT, ...bytes.subarray(1, 33)])
  const sum = crc16(body)
  const canonical = base32nopad.encode(Uint8Array.from([...body, sum & 0xff, sum >> 8]))
  return { format: 'stellar-muxed', canonical, lookupKey: `xlm:${canonical}` }
}

export const readAlgorand: Reader = (text) => {
  const bytes = attempt(() => base32nopad.decode(text))
  if (bytes === undefined || bytes.length !== 36) return 'bad_format'
  const expected = sha512_256(bytes.subarray(0, 32)).subarray(28)
  if (!expected.every((byte, index) => byte === bytes[32 + index])) return 'bad_checksum'
  return { format: 'algorand', canonical: text, lookupKey: `algo:${text}` }
}
