/**
 * Addresses of one key have one owner: it is one node of the search, whichever of its addresses a transfer names. A key's forms do not all
 * follow from one of them, so the ledger keeps every address with its key.
 */
import { hasSharedKeys, sharedKey } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

interface State {
  readonly chain: string
  /** Identifies the state of the ledger. */
  readonly ledgerSeq: number
}

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
  { chain, ledgerSeq }: State,
  requested: readonly string[],
): Promise<OwnedAddresses> {
  const keys = hasSharedKeys(chain) ? requested.map((one) => sharedKey(one, chain)) : []
  const known = keys.filter((key) => key !== null)
  if (known.length === 0) return { addresses: requested, ownedBy: requested }
  const values = [chain, ledgerSeq, [...new Set(known)]]
  const rows = await database.query<{ key: string; address: string }>(ADDRESSES_OF, values)
  const byKey = new Map<string, string[]>()
  for (const { key, address } of rows) byKey.set(key, [...(byKey.get(key) ?? []), address])
  const pairs = requested.flatMap((one, index) => {
    const others = (byKey.get(keys[index] ?? '') ?? []).filter((other) => other !== one)
    return [[one, one] as const, ...others.map((other) => [other, one] as const)]
  })
  return { addresses: pairs.map(([address]) => address), ownedBy: pairs.map(([, one]) => one) }
}

/** The addresses of one owner, the given one first. */
export const addressesOfOwner = async (
  database: Queryable,
  { address, ...state }: State & { readonly address: string },
): Promise<readonly string[]> => (await ownedAddresses(database, state, [address])).addresses

/** The node of a counterparty of `own`: `own` or the screened address if it has their key, else the first address of its key. */
export type NodeOf = (counterparty: string, own: string) => string

export async function nodesOf(
  database: Queryable,
  { chain, ledgerSeq, address: screened }: State & { readonly address?: string | undefined },
  {
    counterparties,
    owners,
  }: { readonly counterparties: Iterable<string>; readonly owners: readonly string[] },
): Promise<NodeOf> {
  if (!hasSharedKeys(chain)) return (counterparty) => counterparty
  const all = screened === undefined ? owners : [...owners, screened]
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
