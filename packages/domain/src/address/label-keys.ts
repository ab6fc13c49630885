/** The keys under which a label of an address is found, other than its look-up key. */
import { listAssets } from '../scorer/index.js'
import { keyParts } from './look-up-keys.js'
import type { ParsedAddress } from './parse-address.js'
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

/**
 * The parts of its look-up key, and its token accounts. Anybody can name another's stake credential in an address, so a clean label counts
 * only for what spends.
 */
export function furtherLabelKeys(
  { chain, canonical, lookupKey }: Pick<ParsedAddress, 'chain' | 'canonical' | 'lookupKey'>,
  { isClean }: { readonly isClean: boolean },
): readonly string[] {
  const parts = keyParts(lookupKey)
  const accounts = chain === 'SOL' ? tokenAccountsOf(canonical) : []
  const all = [...(parts.length > 1 ? parts : []), ...accounts.map((account) => `sol:${account}`)]
  return isClean ? all.filter((key) => key === parts[0]) : all
}
