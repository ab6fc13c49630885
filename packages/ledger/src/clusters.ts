/**
 * Clusters: addresses that were spent from together, on chains with spent outputs, so that one owner holds their keys. An import stores
 * each join with its segment, and a read follows the joins of one state of the ledger, so that a state never changes. Source of the
 * heuristic: Nakamoto (2008), "Bitcoin", section 10. CoinJoins do not join.
 */
import type { Queryable } from '@cupel/postgres'
import { addressesOfOwner } from './owners.js'

export interface ClusterRequest {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  /** Identifies the state of the ledger. */
  readonly ledgerSeq: number
  /** A cluster with more addresses is not read further. */
  readonly maxAddresses: number
}

export interface ClusterMember {
  /** Canonical. */
  readonly address: string
  /** The first transaction that joined it to another member. */
  readonly txHash: string
}

export interface Cluster {
  /** The smallest address by code units; if the cluster is too large, the requested address. */
  readonly clusterId: string
  /** Number of addresses, including the requested one; if the cluster is too large, the number read until then. */
  readonly size: number
  /** The other addresses, in their order; none if the cluster is too large. */
  readonly members: readonly ClusterMember[]
  readonly stopped: '' | 'too_large'
}

/** SQL: the other addresses of the key of an address. */
const sameKey = (address: string, columns: string): string => `
        SELECT ${columns} FROM ledger.owner_address own
        JOIN ledger.owner_address o ON o.chain = own.chain AND o.owner_key = own.owner_key AND o.address <> own.address
        JOIN ledger.segment s ON s.segment_id = o.segment_id
        WHERE own.chain = $1 AND own.address = ${address} AND s.ledger_seq <= $3`

const READ = {
  name: 'ledger.read-cluster',
  text: `
    WITH RECURSIVE member (address) AS (
      SELECT own.address COLLATE "C" FROM unnest($2::text[]) AS own (address)
      UNION
      SELECT joined.other FROM member CROSS JOIN LATERAL (
        SELECT j.other FROM ledger.cluster_join j JOIN ledger.segment s USING (segment_id)
        WHERE j.chain = $1 AND j.address = member.address AND s.ledger_seq <= $3
        UNION ALL${sameKey('member.address', 'o.address')}) joined)
    SELECT address FROM member LIMIT $4`,
}

const READ_JOINS = {
  name: 'ledger.read-joins',
  text: `
    SELECT asked.address, first.tx_hash FROM unnest($2::text[]) AS asked (address)
    CROSS JOIN LATERAL (
      SELECT j.tx_hash FROM ledger.cluster_join j JOIN ledger.segment s USING (segment_id)
      WHERE j.chain = $1 AND s.ledger_seq <= $3
        AND j.address = ANY (ARRAY(SELECT asked.address UNION ALL${sameKey('asked.address', 'o.address')}))
      ORDER BY s.ledger_seq, j.tx_hash LIMIT 1) first`,
}

/** Addresses that were spent from together, and those of one key. */
const READ_PAIRS = {
  name: 'ledger.read-pairs',
  text: `
    SELECT j.address, j.other FROM ledger.cluster_join j JOIN ledger.segment s USING (segment_id)
    WHERE j.chain = $1 AND j.address = ANY ($2::text[]) AND s.ledger_seq <= $3
    UNION ALL${sameKey('ANY ($2::text[])', 'own.address, o.address')}`,
}

/** The clusters of several addresses, by address, itself included; none of an address that is in none or in one that is too large. */
export async function readClusters(
  database: Queryable,
  {
    addresses,
    chain,
    ledgerSeq,
    maxAddresses,
  }: Omit<ClusterRequest, 'address'> & { readonly addresses: readonly string[] },
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const clusters = new Map<string, Set<string>>(addresses.map((one) => [one, new Set([one])]))
  let reached = addresses
  while (reached.length > 0) {
    const values = [chain, reached, ledgerSeq]
    const pairs = await database.query<{ address: string; other: string }>(READ_PAIRS, values)
    const next: string[] = []
    for (const { address, other } of pairs) {
      const known = clusters.get(other)
      if (known === undefined) next.push(other)
      const joined = united(clusters.get(address)!, known ?? new Set([other]))
      for (const one of joined.moved) clusters.set(one, joined.all)
    }
    reached = next.filter((one) => clusters.get(one)!.size <= maxAddresses)
  }
  return new Map(
    addresses.flatMap((one) => {
      const { size } = clusters.get(one)!
      return size > 1 && size <= maxAddresses ? [[one, clusters.get(one)!] as const] : []
    }),
  )
}

/** Adds the smaller set to the larger one. */
function united(a: Set<string>, b: Set<string>) {
  if (a === b) return { all: a, moved: [] }
  const [all, moved] = a.size < b.size ? [b, a] : [a, b]
  for (const one of moved) all.add(one)
  return { all, moved }
}

/** A cluster never shrinks, so a cluster that is too large in one state is too large in every later one. */
const knownLarge = new WeakMap<Queryable, Map<string, number>>()
const MAX_KNOWN_LARGE = 200_000

/** The cluster of an address, or null for an address that was never spent from together with another one. */
export async function readCluster(
  database: Queryable,
  { chain, address, ledgerSeq, maxAddresses }: ClusterRequest,
): Promise<Cluster | null> {
  const known = knownLarge.get(database) ?? new Map<string, number>()
  const keyOf = (one: string): string => `${chain} ${maxAddresses} ${one}`
  const tooLarge: Cluster = { clusterId: address, size: maxAddresses + 1, members: [], stopped: 'too_large' }
  if ((known.get(keyOf(address)) ?? Infinity) <= ledgerSeq) return tooLarge
  const own = await addressesOfOwner(database, { chain, address, ledgerSeq })
  const found = await database.query<{ address: string }>(READ, [chain, own, ledgerSeq, maxAddresses + 1])
  if (found.length < 2) return null
  if (found.length > maxAddresses) {
    if (known.size > MAX_KNOWN_LARGE) known.clear()
    for (const one of found) known.set(keyOf(one.address), ledgerSeq)
    knownLarge.set(database, known)
    return tooLarge
  }
  const addresses = found.map((one) => one.address).sort()
  const others = addresses.filter((one) => one !== address)
  const joins = await database.query<{ address: string; tx_hash: string }>(READ_JOINS, [
    chain,
    others,
    ledgerSeq,
  ])
  const txHashOf = new Map(joins.map((one) => [one.address, one.tx_hash]))
  return {
    clusterId: addresses[0]!,
    size: addresses.length,
    members: others.map((one) => ({ address: one, txHash: txHashOf.get(one)! })),
    stopped: '',
  }
}
