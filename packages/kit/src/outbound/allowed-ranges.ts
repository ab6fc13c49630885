/** Ranges that an operator opens for development. Receivers there may be private, use any port, and speak plain HTTP. */
import ipaddr from 'ipaddr.js'
import { isMetadataAddress } from './special-addresses.js'

export interface AllowedRange {
  readonly cidr: string
  /** Never true for an address at which a cloud serves credentials. */
  contains(address: string): boolean
}

/** Parses CIDR ranges and single addresses. Throws a RangeError that names the first text that is neither. */
export function parseAllowedRanges(texts: readonly string[]): AllowedRange[] {
  return texts.map((text) => {
    const cidr = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`
    if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr) && !ipaddr.IPv6.isValidCIDR(cidr))
      throw new RangeError(`${text} is not an IP address or CIDR range`)
    const [network, bits] = ipaddr.parseCIDR(cidr)
    return {
      cidr,
      contains: (candidate) => {
        if (candidate.includes('%') || !ipaddr.isValid(candidate)) return false
        // An IPv4 range does not match IPv4-mapped IPv6 addresses.
        const address = ipaddr.parse(candidate)
        return (
          address.kind() === network.kind() &&
          address.match(network as never, bits) &&
          !isMetadataAddress(candidate)
        )
      },
    }
  })
}
