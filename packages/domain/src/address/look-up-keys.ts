/** The look-up key of what controls an address: one owner has one key, whatever the chain and the spelling. */
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export interface HashedOwner {
  readonly kind: 'key' | 'script'
  readonly hash: Uint8Array
}

/** Nested SegWit hashes the script of version 0 and a push of the program (BIP-141). */
const nestedHash = (program: Uint8Array): Uint8Array =>
  ripemd160(sha256(Uint8Array.from([0x00, program.length, ...program])))

/** The hash in the owner's `3…` address. */
export const scriptHashOf = ({ kind, hash }: HashedOwner): Uint8Array =>
  kind === 'key' ? nestedHash(hash) : hash

/**
 * A key's hash leads to its nested `3…` address, and nothing leads back. So the script's hash is the key for all forms: `1…`, `bc1q…` and
 * `3…` of one key meet in it, in both directions, with one comparison.
 */
export const ownerKey = (owner: HashedOwner): string => `sh:${bytesToHex(scriptHashOf(owner))}`

/** A witness script has a nested `3…` address too. */
export const witnessScriptKey = (program: Uint8Array): string => `sh:${bytesToHex(nestedHash(program))}`

/** The look-up key of 20 bytes. TRON derives them from a key like EVM chains do, so both name the same owner. */
export const evmKey = (hash: Uint8Array): string => `${EVM_KEY}${bytesToHex(hash)}`

/** The 20 bytes in hexadecimal; undefined for a key of another family. */
export const evmHashOf = (lookupKey: string): string | undefined =>
  lookupKey.startsWith(EVM_KEY) ? lookupKey.slice(EVM_KEY.length) : undefined

const EVM_KEY = 'evm:0x'

/** The key of an address that names several: what spends from it first. Two addresses have one owner if they have one part in common. */
export const joinedKey = (parts: readonly string[]): string => parts.join(SEPARATOR)

export const keyParts = (lookupKey: string): readonly string[] => lookupKey.split(SEPARATOR)

/** No alphabet of an address has it. */
const SEPARATOR = '|'
