/** The address of a screening: as the caller sent it, and as parsed once at the edge. Every later stage passes all fields on. */
import type { ParsedAddress } from './parse-address.js'

export interface ScreenedAddress {
  /** Exactly as the caller sent it. */
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly candidateChains: readonly string[]
}

export function screenedAddress(parsed: ParsedAddress): ScreenedAddress {
  const { text: address, canonical: canonicalAddress, chain, candidateChains } = parsed
  return { address, canonicalAddress, chain, candidateChains }
}

/** The same fields from an item or a row that has more. */
export function screenedAddressOf(from: ScreenedAddress): ScreenedAddress {
  const { address, canonicalAddress, chain, candidateChains } = from
  return { address, canonicalAddress, chain, candidateChains }
}
