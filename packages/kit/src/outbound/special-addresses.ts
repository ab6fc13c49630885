/**
 * Addresses that the service never connects to for a customer. Only plain global unicast addresses are allowed. The
 * tables hold the special-purpose registries of IANA (RFC 6890, iana-ipv4-special-registry and iana-ipv6-special-registry),
 * multicast, and addresses at which clouds serve credentials.
 */
import ipaddr from 'ipaddr.js'

export type AddressVerdict =
  | { readonly isGlobal: true }
  /** `range`: the kind of address, in words. */
  | { readonly isGlobal: false; readonly range: string }

type Range = readonly [cidr: string, what: string]

const V4_RANGES: readonly Range[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'the host of an Azure machine'],
  ['169.254.0.0/16', 'link-local, instance metadata among them'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'documentation (TEST-NET-1)'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay anycast'],
  ['192.168.0.0/16', 'private use'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation (TEST-NET-2)'],
  ['203.0.113.0/24', 'documentation (TEST-NET-3)'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, limited broadcast among them'],
]

const V6_RANGES: readonly Range[] = [
  ['::/96', 'unspecified, loopback or IPv4-compatible'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'local-use NAT64'],
  ['100::/64', 'discard only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/23', 'IETF protocol assignments, Teredo, benchmarking and ORCHID among them'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'SRv6 segment identifiers'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
]

/** Addresses at which clouds serve credentials to their machines. No setting opens them. */
const METADATA_ADDRESSES: readonly string[] = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16', '100.100.100.200'],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
]

/** The part of IPv6 for global unicast. It contains all ranges of iana-ipv6-unicast-address-assignments. */
const V6_GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const v4Ranges = V4_RANGES.map(([cidr, what]) => ({ cidr: ipaddr.IPv4.parseCIDR(cidr), what }))
const v6Ranges = V6_RANGES.map(([cidr, what]) => ({ cidr: ipaddr.IPv6.parseCIDR(cidr), what }))

const metadata = METADATA_ADDRESSES.map((address) => ipaddr.parse(address).toNormalizedString())

/** Whether a cloud serves credentials at an address, in any spelling of it. */
export function isMetadataAddress(text: string): boolean {
  return ipaddr.isValid(text) && metadata.includes(ipaddr.process(text).toNormalizedString())
}

/** Judges an address in text form: IPv4 in four decimal parts, or IPv6. Any other text is refused. */
export function judgeAddress(text: string): AddressVerdict {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    const address = ipaddr.IPv4.parse(text)
    const found = v4Ranges.find(({ cidr }) => address.match(cidr))
    return verdict(found?.what, address.range())
  }
  // A zone names an interface: such an address is never global.
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return { isGlobal: false, range: 'no address' }
  const address = ipaddr.IPv6.parse(text)
  const found = v6Ranges.find(({ cidr }) => address.match(cidr))
  if (found === undefined && !address.match(V6_GLOBAL_UNICAST))
    return { isGlobal: false, range: 'outside of global unicast' }
  return verdict(found?.what, address.range())
}

/** The tables above and those of the library must both allow an address. */
function verdict(special: string | undefined, range: string): AddressVerdict {
  if (special !== undefined) return { isGlobal: false, range: special }
  return range === 'unicast' ? { isGlobal: true } : { isGlobal: false, range }
}
