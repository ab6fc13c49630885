/** Normalises IP addresses and CIDR ranges: IPv4-mapped IPv6 becomes IPv4, zones are dropped. */
import ipaddr from 'ipaddr.js'

/** A CIDR range of either family. */
export interface IpRange {
  /** CIDR text with the host bits cleared, as Postgres stores it. */
  readonly cidr: string
  contains(address: string): boolean
}

/** Bits of the prefix `::ffff:0:0/96` under which IPv4 addresses are mapped. */
const MAPPED_PREFIX_BITS = 96

/** The normalised text of an address; null if the text is not an address. */
export function normaliseIp(text: string): string | null {
  const bare = text.split('%', 1)[0]!
  if (!ipaddr.IPv6.isValid(bare) && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return null
  return ipaddr.process(bare).toString()
}

/** Prefix length of the IPv6 network of one client. */
const CLIENT_NETWORK_BITS = 64

/** The client that an address belongs to: the IPv4 address itself, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  const normal = normaliseIp(address)
  if (normal === null || !ipaddr.IPv6.isValid(normal)) return normal ?? address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${normal}/${CLIENT_NETWORK_BITS}`).toString()}/${CLIENT_NETWORK_BITS}`
}

/** Parses `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32` or a mapped form of them; null for anything else. */
export function parseIpRange(text: string): IpRange | null {
  const [addressText = '', bitsText, ...more] = text.trim().split('/')
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(addressText)
  if (more.length > 0 || addressText.includes('%') || (!isV4 && !ipaddr.IPv6.isValid(addressText)))
    return null
  if (bitsText !== undefined && !/^(0|[1-9][0-9]{0,2})$/.test(bitsText)) return null
  let address = ipaddr.parse(addressText)
  let bits = bitsText === undefined ? (isV4 ? 32 : 128) : Number(bitsText)
  if (bits > (isV4 ? 32 : 128)) return null
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_PREFIX_BITS) {
    address = address.toIPv4Address()
    bits -= MAPPED_PREFIX_BITS
  }
  const network =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`)
  return {
    cidr: `${network.toString()}/${bits}`,
    contains: (candidate) => {
      const normal = normaliseIp(candidate)
      if (normal === null) return false
      const parsed = ipaddr.parse(normal)
      return parsed.kind() === network.kind() && parsed.match(network as never, bits)
    },
  }
}

/** Whether every address of the range `inner` is in the range `outer`; false if either text is not a range. */
export function isRangeWithin(inner: string, outer: string): boolean {
  const [within, around] = [parseIpRange(inner), parseIpRange(outer)]
  if (within === null || around === null) return false
  const [first = '', bits = ''] = within.cidr.split('/')
  const [, outerBits = ''] = around.cidr.split('/')
  return Number(bits) >= Number(outerBits) && around.contains(first)
}
