/** The keys under which labels and reports of an address are found. */
import { listAssets } from '../scorer/index.js'
import { keyParts } from './look-up-keys.js'
import { addressOnChains, parseAddress, type AddressOnChain, type ParsedAddress } from './parse-address.js'
import { tokenAccounts } from './token-account.js'

const mints = listAssets().flatMap(({ chain, contract }) =>
  chain === 'SOL' && contract !== '' ? [contract] : [],
)

/** Deriving them takes a millisecond, and a screen asks several times. */
const remembered = new Map<string, readonly string[]>()
const MAX_REMEMBERED = 1_000

/** The associated accounts of a Solana address, for the mints of the asset table. */
export function tokenAccountsOf(owner: string): readonly string[] {
  let accounts = remembered.get(owner)
  if (accounts === undefined) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(owner, (accounts = mints.flatMap((mint) => tokenAccounts(owner, mint))))
  }
  return accounts
}

/** What controls the address of a record: what spends first, then what else its owner is known by. A text that does not parse names itself. */
export function ownerKeysOf(canonical: string, chain: string): readonly string[] {
  const parsed = parseAddress(canonical, chain)
  return parsed.ok ? keyParts(parsed.lookupKey) : [canonical]
}

/** Every key that a record about the owner of an address can have, on each chain that the text fits if the caller named none. */
export function soughtOwnerKeys({ text, chain, candidateChains }: ParsedAddress): readonly string[] {
  const keys = [...addressOnChains(text, [chain, ...candidateChains])].flatMap(([on, address]) => [
    ...keyParts(address.lookupKey),
    ...furtherLabelKeys({ chain: on, ...address }, { isClean: false }),
  ])
  return [...new Set(keys)]
}

/**
 * The parts of its look-up key, and its token accounts. Anybody can name another's stake credential in an address, so a clean label counts
 * only for what spends.
 */
export function furtherLabelKeys(
  { chain, canonical, lookupKey }: AddressOnChain & { readonly chain: string },
  { isClean }: { readonly isClean: boolean },
): readonly string[] {
  const parts = keyParts(lookupKey)
  const accounts = chain === 'SOL' ? tokenAccountsOf(canonical) : []
  const all = [...(parts.length > 1 ? parts : []), ...accounts.map((account) => `sol:${account}`)]
  return isClean ? all.filter((key) => key === parts[0]) : all
}
