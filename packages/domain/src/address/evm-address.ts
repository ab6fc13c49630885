/** EVM addresses and the checksum in their case (EIP-55). */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { asciiBytes, type Reader } from './address-form.js'

/** EVM: 40 hex digits; mixed case is the checksum of EIP-55. */
export const readEvm: Reader = (text) => {
  if (text.length !== 42) return 'bad_format'
  let lower = false
  let upper = false
  for (let index = 2; index < 42; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) continue
    if (code >= 97 && code <= 102) lower = true
    else if (code >= 65 && code <= 70) upper = true
    else return 'bad_format'
  }
  const digits = text.slice(2).toLowerCase()
  if (lower && upper && !hasEip55Case(text, digits)) return 'eip55_mismatch'
  const canonical = `0x${digits}`
  return { format: 'evm', canonical, lookupKey: `evm:${canonical}` }
}

function hasEip55Case(text: string, digits: string): boolean {
  const hash = keccak_256(asciiBytes(digits))
  for (let index = 0; index < 40; index++) {
    const code = text.charCodeAt(index + 2)
    if (code <= 57) continue
    const nibble = index % 2 === 0 ? hash[index >> 1]! >> 4 : hash[index >> 1]! & 15
    if (nibble >= 8 !== code < 97) return false
  }
  return true
}

/** EIP-55 form of an EVM address in lower case. */
export function toEip55(canonical: string): string {
  const digits = canonical.slice(2)
  const hash = keccak_256(asciiBytes(digits))
  let out = '0x'
  for (let index = 0; index < 40; index++) {
    const nibble = index % 2 === 0 ? hash[index >> 1]! >> 4 : hash[index >> 1]! & 15
    out += nibble >= 8 ? digits[index]!.toUpperCase() : digits[index]!
  }
  return out
}
