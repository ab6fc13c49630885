/** Ranges of IP addresses in settings that open access. The limits keep a typing error from opening everything. */
import { isIP } from 'node:net'

/** The largest private range of IPv4 is 10.0.0.0/8; of IPv6 it is fc00::/7. */
const FEWEST_BITS = { 4: 8, 6: 7 } as const
const ALL_BITS = { 4: 32, 6: 128 } as const

/** The fault of an address or CIDR range, as the end of a sentence that begins with it; null if there is none. */
export function rangeFault(text: string): string | null {
  const [, address = '', bits] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version !== 4 && version !== 6) return 'is not an IP address or CIDR range, such as 10.0.0.0/8.'
  const prefix = bits === undefined ? ALL_BITS[version] : Number(bits)
  if (prefix > ALL_BITS[version]) return `is not a CIDR range: IPv${version} has ${ALL_BITS[version]} bits.`
  if (prefix < FEWEST_BITS[version])
    return `is too wide: the widest range that can be opened is a /${FEWEST_BITS[version]}.`
  return null
}
