/** The result of parsing an address, and the steps that most formats share. */
import { sha256 } from '@noble/hashes/sha2.js'
import type { AddressFormat } from './chain-formats.js'
import type { HashedOwner } from './look-up-keys.js'

/** Why a text is no address; the first word of the explanation for the caller. */
export type FormFailure = 'bad_format' | 'bad_checksum' | 'eip55_mismatch'

export interface AddressForm {
  readonly format: AddressFormat
  /** The one form in which this product writes the address. A chain may prefer another, see `parse-address.ts`. */
  readonly canonical: string
  /**
   * The key that label look-ups compare: equal for all forms and chains that one key (or one script) controls. One secp256k1 key hash is an
   * address on every Bitcoin-like chain, one EVM address on every EVM chain and, as `T…`, on TRON.
   */
  readonly lookupKey: string
  /** The owner that spends from it, if a chain writes the same hash in another form. */
  readonly owner?: HashedOwner
}

export type Outcome = AddressForm | FormFailure
export type Reader = (text: string) => Outcome

/** Any other decoder's exception means that the text does not have its alphabet or shape. */
export function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

export const asciiBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (letter) => letter.charCodeAt(0))

export const doubleSha256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

/** Whether the last bytes are the first bytes of a hash over the rest. */
export function endsWithHash(
  bytes: Uint8Array,
  checksumBytes: number,
  hash: (body: Uint8Array) => Uint8Array,
): boolean {
  const expected = hash(bytes.subarray(0, -checksumBytes))
  for (let index = 0; index < checksumBytes; index++) {
    if (bytes[bytes.length - checksumBytes + index] !== expected[index]) return false
  }
  return true
}
