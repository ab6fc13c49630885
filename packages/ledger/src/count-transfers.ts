/** Counts the transfers of addresses, and what of them has value. Strangers can send dust to anyone, so dust makes nothing large. */
import type { Queryable } from '@cupel/postgres'
import { ownedAddresses } from './owners.js'
import {
  asked,
  assetValues,
  IS_WORTH,
  ofAsset,
  seen,
  withAssets,
  WITH_UNSEEN,
  type LedgerState,
  type Side,
} from './read-transfers.js'

const countOf = (from: (side: Side) => string): string => `
    SELECT asked.address, found.count
    FROM ${asked('$3')}
    CROSS JOIN LATERAL (
      SELECT count(*) FROM (
        (SELECT ${from('from_id')} LIMIT $4) UNION ALL (SELECT ${from('to_id')} LIMIT $4)
        LIMIT $4) both_sides) found`

const COUNT_TRANSFERS = {
  name: 'ledger.count-transfers',
  text: `${WITH_UNSEEN}${countOf((side) => seen(side))}`,
}

/** An index-only query that ignores whether a row is visible in the state. */
const COUNT_ROWS = {
  name: 'ledger.count-rows',
  text: countOf((side) => `FROM ledger.transfer t WHERE $2::int8 > 0 AND t.${side} = asked.id`),
}

const sizeOf = (side: Side, other: Side): string => `
  SELECT t.${other} AS counterparty, ${ofAsset('measured')} AS measured,
    t.amount * ${ofAsset('factors')} AS value, ${ofAsset('dusts')} AS dust, ${IS_WORTH} AS is_worth
  ${seen(side)}`

const readSizesOf = (name: string, limit: string) => ({
  name,
  text: `${withAssets(4)}
    SELECT asked.address, size.* FROM ${asked('$3')}
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(transfers), 0)::int8 AS transfers, coalesce(sum(worth), 0)::int8 AS worth,
        count(DISTINCT counterparty) FILTER (WHERE value >= dust) AS counterparties
      FROM (
        SELECT counterparty, measured, dust, sum(value) AS value, count(*) AS transfers,
          count(*) FILTER (WHERE is_worth) AS worth
        FROM ((${sizeOf('from_id', 'to_id')}${limit}) UNION ALL (${sizeOf('to_id', 'from_id')}${limit})) both_sides
        GROUP BY counterparty, measured, dust) pair) size`,
})

const READ_WHOLE_SIZES = readSizesOf('ledger.read-whole-sizes', '')
const READ_SIZES = readSizesOf('ledger.read-sizes', ' LIMIT $8')

/** A request to count for all these addresses with one query. */
export interface CountRequest extends LedgerState {
  readonly addresses: readonly string[]
  readonly limit: number
}

type Count = (database: Queryable, request: CountRequest) => Promise<(address: string) => number>

/** The number of transfers of each address, counted up to the limit. */
export const countTransfers: Count = (database, request) => counted(database, request, COUNT_TRANSFERS)

/** An upper bound for the number of transfers in any state, several times faster than counting them; up to the limit. */
export const countRows: Count = (database, request) => counted(database, request, COUNT_ROWS)

async function counted(
  database: Queryable,
  { chain, ledgerSeq, addresses, limit }: CountRequest,
  statement: typeof COUNT_ROWS,
): Promise<(address: string) => number> {
  const owned = await ownedAddresses(database, { chain, ledgerSeq }, addresses)
  const values = [chain, ledgerSeq, owned.addresses, limit]
  const rows =
    addresses.length === 0 ? [] : await database.query<{ address: string; count: number }>(statement, values)
  const counts = new Map(rows.map(({ address, count: found }) => [address, found]))
  const sums = new Map<string, number>()
  for (const [index, owner] of owned.ownedBy.entries())
    sums.set(owner, (sums.get(owner) ?? 0) + (counts.get(owned.addresses[index]!) ?? 0))
  return (address) => Math.min(sums.get(address) ?? 0, limit)
}

export interface TransferCounts {
  readonly transfers: number
  /** Of those, transfers of at least dust. */
  readonly worth: number
  /** Those with which it exchanged at least dust of one asset. */
  readonly counterparties: number
}

export interface SizesRequest extends LedgerState {
  readonly addresses: readonly string[]
  /** Transfers that are counted of each side of an address; absent: all. More transfers make no count smaller. */
  readonly most?: number
}

/** Counts what the addresses moved, and what the other addresses of their keys did. A counterparty of two of them counts twice. */
export async function readSizes(
  database: Queryable,
  { chain, ledgerSeq, addresses, most }: SizesRequest,
): Promise<ReadonlyMap<string, TransferCounts>> {
  if (addresses.length === 0) return new Map()
  const owned = await ownedAddresses(database, { chain, ledgerSeq }, addresses)
  const values = [chain, ledgerSeq, owned.addresses, ...assetValues(chain)]
  const [statement, further] = most === undefined ? [READ_WHOLE_SIZES, []] : [READ_SIZES, [most]]
  const rows = await database.query<TransferCounts & { readonly address: string } & Record<string, unknown>>(
    statement,
    [...values, ...further],
  )
  const counts = new Map(rows.map((row) => [row.address, row]))
  const sums = new Map<string, TransferCounts>()
  for (const [index, owner] of owned.ownedBy.entries())
    sums.set(owner, added(sums.get(owner), counts.get(owned.addresses[index]!)!))
  return sums
}

const added = (known: TransferCounts | undefined, more: TransferCounts): TransferCounts => ({
  transfers: (known?.transfers ?? 0) + more.transfers,
  worth: (known?.worth ?? 0) + more.worth,
  counterparties: (known?.counterparties ?? 0) + more.counterparties,
})
