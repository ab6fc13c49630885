/**
 * The store of the transfers of the ledger: every reading of their rows. Segments, which state what is visible, numbers of addresses and contracts,
 * clusters, times of blocks and prices are in Postgres, whatever store the transfers have.
 */
import type { Movement } from '@cupel/domain'

/** One state of the ledger: what later segments brought, proved, called failed or retired does not count. */
export interface LedgerState {
  readonly chain: string
  readonly ledgerSeq: number
}

/** Addresses as the ledger writes them. One that it does not know has no rows. */
export interface OfAddresses extends LedgerState {
  readonly addresses: readonly string[]
}

export interface RowsRequest extends OfAddresses {
  /** The number of the owner of each address: rows of one owner follow one another. */
  readonly owners: readonly number[]
}

export interface LargestRequest extends RowsRequest {
  /** Rows of each address: those of most value in units of the dust of their assets, then by id. */
  readonly limit: number
  /** Rows below dust, and of assets outside the asset table, are left out. */
  readonly isWorth: boolean
}

/**
 * One transfer of one of the asked addresses, as texts, because decoding a dozen columns costs more than all further work with them: the place of
 * the address in the request, from 1; the id; `t` if the address sent it; the number of the other address; the contract; base units; the height; the
 * time, in seconds since 1970; the index of the transaction; the place in it; `t` if its execution is proven; what the transaction changed in the
 * balance of the address; the letter of the kind; the digits of `hashDigits`. An unknown value is empty.
 */
export type StoredRow = readonly string[]

/** What an address moved with one counterparty in one asset on one day, added up. */
export interface StoredBundle {
  readonly id: string
  readonly outgoing: boolean
  /** The number of the address. */
  readonly counterparty: number
  readonly contract: string
  /** The letter. */
  readonly kind: string
  readonly proven: boolean
  /** Base units. */
  readonly amount: string
  readonly transfers: number
  /** Seconds since 1970; null if a transfer has none. */
  readonly firstAtS: string | null
  readonly lastAtS: string | null
  /** The highest one; null if a transfer has none. */
  readonly blockNumber: string | null
}

export interface TransferCounts {
  readonly transfers: number
  /** Of those, transfers of at least dust. */
  readonly worth: number
  /** Those with which it exchanged at least dust of one asset. */
  readonly counterparties: number
}

export interface MovementsRequest extends LedgerState {
  readonly address: string
  readonly direction: Direction
  /** As the ledger writes it. */
  readonly txHash: string
}

type Direction = 'incoming' | 'outgoing'

/** A movement, with the letter of its kind. */
export interface StoredMovement extends Omit<Movement, 'amount'> {
  readonly amount: string
  readonly kind: string
}

export interface TransferReader {
  /** In the order of the owners, then the largest first. */
  largestRows(request: LargestRequest): Promise<readonly StoredRow[]>
  /** In any order. */
  allRows(request: RowsRequest): Promise<readonly StoredRow[]>
  /** All transfers of the addresses together but the `beyond` largest. */
  bundles(request: OfAddresses & { readonly beyond: number }): Promise<readonly StoredBundle[]>
  /** The transfers of each address, counted up to the limit; an unknown address may be missing. */
  countTransfers(request: OfAddresses & { readonly limit: number }): Promise<ReadonlyMap<string, number>>
  /** No less than the transfers in any state, and faster. */
  countRows(request: OfAddresses & { readonly limit: number }): Promise<ReadonlyMap<string, number>>
  /** Of each address. `most`: transfers of each side of it that are counted. */
  sizes(request: OfAddresses & { readonly most?: number }): Promise<ReadonlyMap<string, TransferCounts>>
  /** Those that make internal calls and send no transactions. */
  codeAmong(request: OfAddresses): Promise<readonly string[]>
  /** Whether the address has more rows in this direction, in any state. */
  hasMoreRows(request: Omit<MovementsRequest, 'txHash'> & { readonly most: number }): Promise<boolean>
  /** Of one transaction and address, at most `most`. */
  movements(request: MovementsRequest & { readonly most: number }): Promise<readonly StoredMovement[]>
}

/** Addresses that rows of any state name. More than `most` may be given as so many. */
export interface NeighbourReader {
  /** Those on the other side of transfers of the addresses. */
  neighbours(
    request: Most & { readonly chain: string; readonly addresses: readonly string[] },
  ): Promise<readonly string[]>
  /** Both sides of transfers that the segments brought, proved, called failed, or retired. */
  changedBy(request: Most & { readonly segmentIds: readonly number[] }): Promise<readonly string[]>
  /** Both sides of transfers at these heights, both included, that other segments brought. */
  retold(
    request: Most & {
      readonly chain: string
      readonly low: number
      readonly high: number
      readonly segmentIds: readonly number[]
    },
  ): Promise<readonly string[]>
}

interface Most {
  readonly most: number
}
