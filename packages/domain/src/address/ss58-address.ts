/** SS58, the account form of Substrate chains: a network prefix, a public key and a checksum, in Base58. */
import { blake2b } from '@noble/hashes/blake2.js'
import { base58 } from '@scure/base'
import { asciiBytes, endsWithHash, type Outcome } from './address-form.js'

const KEY_BYTES = 32
const CHECKSUM_BYTES = 2
/** Bytes of an address with a prefix of one byte, and with one of two. */
export const SS58_BYTES: readonly number[] = [1, 2].map((prefix) => prefix + KEY_BYTES + CHECKSUM_BYTES)

const POLKADOT = 0
/** First bytes from here on announce a prefix of two bytes. */
const TWO_BYTES_FROM = 64
/** First bytes from here on are reserved. */
const RESERVED_FROM = 128
/** Prefixes that no network may have. */
const reservedPrefixes: readonly number[] = [46, 47]

/**
 * Reads an address of any network. The prefix names the network it was written for. The account is the public key, and one key is one
 * account on all networks. So every prefix is accepted, and the canonical form is Polkadot's.
 */
export function readSs58(bytes: Uint8Array): Outcome {
  if (!endsWithHash(bytes, CHECKSUM_BYTES, checksumOf)) return 'bad_checksum'
  const prefix = prefixOf(bytes)
  if (prefix === undefined || reservedPrefixes.includes(prefix)) return 'bad_format'
  const canonical = encodeSs58(bytes.slice(-KEY_BYTES - CHECKSUM_BYTES, -CHECKSUM_BYTES))
  return { format: 'ss58', canonical, lookupKey: `dot:${canonical}` }
}

/** The network's number, or undefined if its bytes are not a valid form. */
function prefixOf(bytes: Uint8Array): number | undefined {
  const first = bytes[0]!
  const hasTwoBytes = bytes.length === Math.max(...SS58_BYTES)
  if (first >= RESERVED_FROM || first >= TWO_BYTES_FROM !== hasTwoBytes) return undefined
  if (!hasTwoBytes) return first
  const second = bytes[1]!
  const prefix = ((first & 0x3f) << 2) | (second >> 6) | ((second & 0x3f) << 8)
  // A number that fits one byte has only one form.
  return prefix < TWO_BYTES_FROM ? undefined : prefix
}

function encodeSs58(key: Uint8Array): string {
  const body = Uint8Array.from([POLKADOT, ...key])
  return base58.encode(Uint8Array.from([...body, ...checksumOf(body).subarray(0, CHECKSUM_BYTES)]))
}

const DOMAIN = asciiBytes('SS58PRE')

const checksumOf = (body: Uint8Array): Uint8Array =>
  blake2b(Uint8Array.from([...DOMAIN, ...body]), { dkLen: 64 })
