/** The look-up key of what controls an address: one owner has one key, whatever the chain and the spelling. */
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export interface HashedOwner {
  readonly kind: 'key' | 'script'
  readonly hash: Uint8Array
}

/** Version 0 and a push of 20 bytes: the script that nested SegWit hashes (BIP-141). */
const WITNESS_OF_KEY = [0x00, 0x14] as const

/**
 * A key's hash leads to its nested `3…` address, and nothing leads back. So the script's hash is the key for all forms: `1…`, `bc1q…` and
 * `3…` of one key meet in it, in both directions, with one comparison.
 */
export function ownerKey({ kind, hash }: HashedOwner): string {
  const script = kind === 'key' ? ripemd160(sha256(Uint8Array.from([...WITNESS_OF_KEY, ...hash]))) : hash
  return `sh:${bytesToHex(script)}`
}

/** The look-up key of 20 bytes. TRON derives them from a key like EVM chains do, so both name the same owner. */
export const evmKey = (hash: Uint8Array): string => `evm:0x${bytesToHex(hash)}`
