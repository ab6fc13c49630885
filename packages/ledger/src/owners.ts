/**
 * Addresses of one key have one owner: it is one node of the search, whichever of its addresses a transfer names. A key's forms do not all
 * follow from one of them, so the ledger keeps every address with its key.
 */
import { hasSharedKeys, sharedKey, tokenAccountsOf } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

interface Asked {
  readonly chain: string
  /** Identifies the state of the ledger. */
  readonly ledgerSeq: number
  /** The screened address, if there is one. On Solana its token accounts are its own. */
  readonly address?: string | undefined
  /** All requested addresses are screened ones. */
  readonly areScreened?: boolean | undefined
}

/** Deriving them takes milliseconds, so only those of screened addresses are known. */
const accountsOf = (one: string, { address, areScreened }: Asked): readonly string[] =>
  areScreened === true || one === address ? tokenAccountsOf(one) : []

const ADDRESSES_OF = {
  name: 'ledger.addresses-of-owners',
  text: `
    SELECT o.owner_key AS key, o.address FROM ledger.owner_address o JOIN ledger.segment s USING (segment_id)
    WHERE o.chain = $1 AND o.owner_key = ANY ($3::text[]) AND s.ledger_seq <= $2 ORDER BY o.address`,
}

/** Of addresses in the ledger: those whose key is one of `$4`, or has an address that sorts before them. */
const NODES_OF = {
  name: 'ledger.nodes-of-addresses',
  text: `
    SELECT own.address, own.owner_key AS key, node.address AS node
    FROM ledger.owner_address own CROSS JOIN LATERAL (
      SELECT o.address FROM ledger.owner_address o JOIN ledger.segment s USING (segment_id)
      WHERE o.chain = $1 AND o.owner_key = own.owner_key AND s.ledger_seq <= $2 ORDER BY o.address LIMIT 1) node
    WHERE own.chain = $1 AND own.address = ANY ($3::text[])
      AND (node.address <> own.address OR own.owner_key = ANY ($4::text[]))`,
}

/** Every address to read, with the requested address whose owner has it. A requested address is the first of its own. */
export interface OwnedAddresses {
  readonly addresses: readonly string[]
  readonly ownedBy: readonly string[]
}

export async function ownedAddresses(
  database: Queryable,
  asked: Asked,
  requested: readonly string[],
): Promise<OwnedAddresses> {
  const { chain, ledgerSeq } = asked
  if (chain === 'SOL') return owned(requested, (one) => accountsOf(one, asked))
  const keys = hasSharedKeys(chain) ? requested.map((one) => sharedKey(one, chain)) : []
  const known = keys.filter((key) => key !== null)
  if (known.length === 0) return { addresses: requested, ownedBy: requested }
  const values = [chain, ledgerSeq, [...new Set(known)]]
  const rows = await database.query<{ key: string; address: string }>(ADDRESSES_OF, values)
  const byKey = new Map<string, string[]>()
  for (const { key, address } of rows) byKey.set(key, [...(byKey.get(key) ?? []), address])
  return owned(requested, (_one, index) => byKey.get(keys[index] ?? '') ?? [])
}

function owned(
  requested: readonly string[],
  addressesOf: (one: string, index: number) => readonly string[],
): OwnedAddresses {
  const pairs = requested.flatMap((one, index) => {
    const others = addressesOf(one, index).filter((other) => other !== one)
    return [[one, one] as const, ...others.map((other) => [other, one] as const)]
  })
  return { addresses: pairs.map(([address]) => address), ownedBy: pairs.map(([, one]) => one) }
}

/** The addresses of one owner, the given one first. */
export const addressesOfOwner = async (
  database: Queryable,
  asked: Asked & { readonly address: string },
): Promise<readonly string[]> => (await ownedAddresses(database, asked, [asked.address])).addresses

/** The node of a counterparty of `own`: `own` or the screened address if it has their key, else the first address of its key. */
export type NodeOf = (counterparty: string, own: string) => string

export async function nodesOf(
  database: Queryable,
  asked: Asked,
  {
    counterparties,
    owners,
  }: { readonly counterparties: Iterable<string>; readonly owners: readonly string[] },
): Promise<NodeOf> {
  const { chain, ledgerSeq, address: screened } = asked
  const all = screened === undefined ? owners : [...owners, screened]
  if (chain === 'SOL') {
    const ownerOf = new Map(all.flatMap((one) => accountsOf(one, asked).map((account) => [account, one])))
    return (counterparty) => ownerOf.get(counterparty) ?? counterparty
  }
  if (!hasSharedKeys(chain)) return (counterparty) => counterparty
  const keys = new Map(all.map((one) => [one, sharedKey(one, chain)]))
  const values = [chain, ledgerSeq, [...new Set(counterparties)], [...new Set(keys.values())]]
  const rows = await database.query<{ address: string; key: string; node: string }>(NODES_OF, values)
  const found = new Map(rows.map(({ address, ...of }) => [address, of]))
  return (counterparty, own) => {
    const of = found.get(counterparty)
    if (of === undefined) return counterparty
    if (keys.get(own) === of.key) return own
    return screened !== undefined && keys.get(screened) === of.key ? screened : of.node
  }
}
