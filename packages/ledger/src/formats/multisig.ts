/**
 * Bare multisignature: an output that several keys may spend together, without an address of its own. It is one node that stands for the
 * addresses of its keys.
 */
const PREFIX = 'multisig:'

/** The node of these canonical addresses: equal for the same addresses in any order. */
export const multisigNode = (addresses: readonly string[]): string =>
  `${PREFIX}${[...new Set(addresses)].sort().join()}`

export const isMultisigNode = (address: string): boolean => address.startsWith(PREFIX)

/** The addresses whose labels count for an address: those of the keys of a node, else the address itself. */
export const labelledAddresses = (address: string): readonly string[] =>
  isMultisigNode(address) ? address.slice(PREFIX.length).split(',') : [address]
