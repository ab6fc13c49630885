/** Counts the transfers of addresses, and what of them has value. Strangers can send dust to anyone, so dust makes nothing large. */
import type { Queryable } from '@cupel/postgres'
import { ownedAddresses } from './owners.js'
import { transfersIn } from './store/transfers.js'
import type { LedgerState, TransferCounts } from './store/transfer-store.js'

/** A request to count for all these addresses with one query. */
export interface CountRequest extends LedgerState {
  readonly addresses: readonly string[]
  readonly limit: number
}

type Count = (database: Queryable, request: CountRequest) => Promise<(address: string) => number>

/** The number of transfers of each address, counted up to the limit. */
export const countTransfers: Count = (database, request) => counted(database, request, 'countTransfers')

/** An upper bound for the number of transfers in any state, several times faster than counting them; up to the limit. */
export const countRows: Count = (database, request) => counted(database, request, 'countRows')

async function counted(
  database: Queryable,
  { chain, ledgerSeq, addresses, limit }: CountRequest,
  count: 'countTransfers' | 'countRows',
): Promise<(address: string) => number> {
  const owned = await ownedAddresses(database, { chain, ledgerSeq }, addresses)
  const counts =
    addresses.length === 0
      ? new Map<string, number>()
      : await transfersIn(database)[count]({ chain, ledgerSeq, addresses: owned.addresses, limit })
  const sums = new Map<string, number>()
  for (const [index, owner] of owned.ownedBy.entries())
    sums.set(owner, (sums.get(owner) ?? 0) + (counts.get(owned.addresses[index]!) ?? 0))
  return (address) => Math.min(sums.get(address) ?? 0, limit)
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
  const counts = await transfersIn(database).sizes({
    ...{ chain, ledgerSeq, addresses: owned.addresses },
    ...(most === undefined ? {} : { most }),
  })
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
