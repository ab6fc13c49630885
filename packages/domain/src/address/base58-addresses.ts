/** Addresses in Bitcoin's Base58 alphabet, and the other written forms of the hashes inside them. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { attempt, doubleSha256, endsWithHash, type Outcome, type Reader } from './address-form.js'
import { readByronAddress } from './byron-address.js'
import { decodeCashAddress } from './cash-address.js'
import { evmKey, ownerKey } from './look-up-keys.js'
import { readSs58, SS58_BYTES } from './ss58-address.js'

/** Bytes of a Base58Check address: one or two version bytes, 20 of hash, 4 of checksum. */
const BASE58CHECK_BYTES = 25
const ZCASH_BYTES = 26
const PUBLIC_KEY_BYTES = 32

/** Bitcoin's Base58 alphabet is used by Base58Check addresses, Solana's bare keys and SS58. Case is never folded. */
export const readBase58: Reader = (text) => {
  const bytes = attempt(() => base58.decode(text))
  if (bytes === undefined) return 'bad_format'
  if (bytes.length === PUBLIC_KEY_BYTES) {
    return { format: 'solana', canonical: text, lookupKey: `sol:${text}` }
  }
  if (SS58_BYTES.includes(bytes.length)) return readSs58(bytes)
  if (bytes.length < BASE58CHECK_BYTES - 1 || bytes.length > ZCASH_BYTES) return 'bad_format'
  if (!endsWithHash(bytes, 4, doubleSha256)) return 'bad_checksum'
  return readBase58Check(text, bytes)
}

/** The owner in each version in use: a key's hash or a script's hash. */
export const base58CheckKinds: Readonly<Record<string, 'key' | 'script' | 'tron'>> = {
  '00': 'key',
  '05': 'script',
  '30': 'key',
  '32': 'script',
  '1e': 'key',
  '16': 'script',
  '21': 'script',
  '4c': 'key',
  '10': 'script',
  '26': 'key',
  '17': 'script',
  '1cb8': 'key',
  '1cbd': 'script',
  '41': 'tron',
}

function readBase58Check(text: string, bytes: Uint8Array): Outcome {
  const versionBytes = bytes.length - 24
  const version = bytesToHex(bytes.subarray(0, versionBytes))
  const kind = base58CheckKinds[version]
  if (kind === undefined) return 'bad_format'
  const hash = bytes.subarray(versionBytes, -4)
  const format = `base58check:${version}` as const
  if (kind === 'tron') return { format, canonical: text, lookupKey: evmKey(hash) }
  return { format, canonical: text, lookupKey: ownerKey({ kind, hash }), owner: { kind, hash } }
}

/** TRON's hex form: 41 and 20 bytes of hash. It has no checksum; the Base58Check form is the canonical one. */
export const readTronHex: Reader = (text) => {
  const bytes = attempt(() => hexToBytesFolded(text))
  if (bytes === undefined) return 'bad_format'
  const canonical = encodeBase58Check(bytes)
  return { format: 'tron-hex', canonical, lookupKey: evmKey(bytes.subarray(1)) }
}

function hexToBytesFolded(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]+$/.test(text) || text.length % 2 !== 0) throw new RangeError('not hexadecimal')
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}

/** Base58Check of version and hash. */
export function encodeBase58Check(versionAndHash: Uint8Array): string {
  const checksum = doubleSha256(versionAndHash).subarray(0, 4)
  return base58.encode(Uint8Array.from([...versionAndHash, ...checksum]))
}

export const readCashAddress: Reader = (text) => {
  const decoded = decodeCashAddress(text)
  if (typeof decoded === 'string') return decoded
  const { kind, hash } = decoded
  if (hash.length !== 20 && !(kind === 'script' && hash.length === 32)) return 'bad_format'
  return { format: 'cashaddr', canonical: text.toLowerCase(), lookupKey: ownerKey(decoded), owner: decoded }
}

export const readByron: Reader = (text) => {
  const bytes = attempt(() => base58.decode(text))
  const outcome = bytes === undefined ? 'bad_format' : readByronAddress(bytes)
  return outcome === 'ok' ? { format: 'cardano-byron', canonical: text, lookupKey: `ada:${text}` } : outcome
}
