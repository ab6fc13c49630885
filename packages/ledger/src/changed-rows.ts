/** The addresses of the rows that segments brought or changed, from the indexes by segment. */
import { hasSharedKeys, chainFactsOf } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readClusters } from './clusters.js'
import { neighboursIn } from './store/transfers.js'

export interface SegmentRange {
  readonly chain: string
  /** The state before the segments, and the one with them: numbers of their last segments. */
  readonly fromSeq: number
  readonly toSeq: number
}

/** Heights, both included. */
export interface Heights {
  readonly low: number
  readonly high: number
}

export interface ChangedRows {
  /** Addresses whose own transfers changed. */
  readonly moved: ReadonlySet<string>
  /** Addresses that count otherwise as the counterparty of another one: by their cluster, their key, or as the node of a transaction. */
  readonly attributed: ReadonlySet<string>
}

/** The segments of the range, in their order. */
export async function segmentsOf(
  database: Queryable,
  { chain, fromSeq, toSeq }: SegmentRange,
): Promise<readonly ChangedSegment[]> {
  return await database.query<ChangedSegment & Record<string, unknown>>(
    `SELECT segment_id AS id, format, least(first_height, complete_from) AS low, greatest(last_height, complete_to) AS high,
       history_address AS history
     FROM ledger.segment WHERE chain = $1 AND ledger_seq > $2 AND ledger_seq <= $3 ORDER BY ledger_seq`,
    [chain, fromSeq, toSeq],
  )
}

export interface ChangedSegment {
  readonly id: number
  readonly format: string
  /** Lowest and highest height of its rows and of its declared range; null if it has none. */
  readonly low: number | null
  readonly high: number | null
  /** The address of which a provider told it; null for other files. */
  readonly history: string | null
}

const TOKENS = `
  SELECT DISTINCT side.address FROM ledger.unknown_token t CROSS JOIN LATERAL (VALUES (from_address), (to_address)) side (address)
  WHERE t.segment_id = ANY ($1::int4[]) LIMIT $2`

const OWNERS = `
  SELECT DISTINCT o.address FROM ledger.owner_address told
  JOIN ledger.owner_address o ON o.chain = told.chain AND o.owner_key = told.owner_key AND o.address <> told.address
  WHERE told.segment_id = ANY ($1::int4[]) LIMIT $2`

const JOINED = `SELECT DISTINCT address FROM ledger.cluster_join WHERE segment_id = ANY ($1::int4[]) LIMIT $2`

/** Null if there are more than `most`. */
export async function changedRows(
  database: Queryable,
  range: SegmentRange,
  of: {
    readonly segments: readonly ChangedSegment[]
    readonly heights: Heights | null
    readonly most: number
    readonly maxClusterAddresses: number
  },
): Promise<ChangedRows | null> {
  const { chain } = range
  const { segments, heights, most } = of
  const ids = segments.map(({ id }) => id)
  const read = async (name: string, text: string, values: readonly unknown[]): Promise<string[]> =>
    (
      await database.query<{ address: string }>({ name: `ledger.touched-${name}`, text }, [
        ...values,
        most + 1,
      ])
    ).map(({ address }) => address)
  const store = neighboursIn(database)
  const moved = new Set([
    ...segments.flatMap(({ history }) => history ?? []),
    ...(await store.changedBy({ segmentIds: ids, most: most + 1 })),
    ...(await read('tokens', TOKENS, [ids])),
    // A new range contains what earlier files hold at its heights.
    ...(heights === null ? [] : await store.retold({ chain, ...heights, segmentIds: ids, most: most + 1 })),
  ])
  const attributed = new Set(hasSharedKeys(chain) ? await read('owners', OWNERS, [ids]) : [])
  if (chainFactsOf(chain)?.spendsTogether === true) {
    // A further address of a key is one more of its cluster.
    const joined = [...new Set([...(await read('joined', JOINED, [ids])), ...attributed])]
    if (joined.length > most) return null
    for (const one of await changedClusters(database, range, { joined, ...of })) attributed.add(one)
  }
  return moved.size > most || attributed.size > most ? null : { moved, attributed }
}

/** The members of clusters that grew. One that is too large before and after says nothing in both states. */
async function changedClusters(
  database: Queryable,
  { chain, fromSeq, toSeq }: SegmentRange,
  { joined, maxClusterAddresses: maxAddresses }: { joined: readonly string[]; maxClusterAddresses: number },
): Promise<ReadonlySet<string>> {
  const members = new Set<string>()
  if (joined.length === 0) return members
  for (const ledgerSeq of [fromSeq, toSeq]) {
    const clusters = await readClusters(database, { chain, ledgerSeq, addresses: joined, maxAddresses })
    for (const cluster of new Set(clusters.values())) for (const one of cluster) members.add(one)
  }
  // An address that was in no cluster yet is none of the clusters before.
  for (const one of joined) members.add(one)
  return members
}
