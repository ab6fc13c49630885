/** What is read of a file and not stored yet, and the segment that it belongs to. */
import type { KeptTransfer, ToldTransfer } from './formats/ledger-row.js'
import type { RowSums } from './row-sums.js'

/** The row of a segment, updated with every batch. */
export interface SegmentState {
  readonly segmentId: number
  readonly chain: string
  /** The file replaces its range: its transfers are valid, whatever earlier files stated. */
  readonly replaces: boolean
  rowsDone: number
  readonly counts: Record<string, number>
  firstHeight: number | null
  lastHeight: number | null
  /** Time of the last height in the declared range. */
  lastHeightAtS: number | null
  rowSums: RowSums
}

/** Transfers per statement. */
export const BATCH_TRANSFERS = 5_000
/** For each of them: the position also advances in a file without counted transfers. */
const ROWS_OF_TRANSFER = 10

export interface UnreadableRow {
  readonly line: number
  /** Null if the row does not state it. */
  readonly height: number | null
  /** Kinds of transfers that the row may hold. */
  readonly kinds: readonly string[]
  readonly message: string
}

export interface Batch {
  readonly segmentId: number
  /** Transactions of the chain call others within them. */
  readonly hasCalls: boolean
  /** Rows of the file. */
  rows: number
  readonly transfers: Map<string, KeptTransfer>
  /** Ids of transfers without a counterparty. */
  readonly uncounted: Set<string>
  /** Transfers of tokens outside the asset table, by id. */
  readonly tokens: Map<string, ToldTransfer>
  readonly outcomes: Map<string, boolean>
  /** Transaction by the two addresses that it joins, separated by a space. */
  readonly joins: Map<string, string>
  /** Look-up keys that several addresses may have, by address. */
  readonly owners: Map<string, string>
  /** Seconds by height. */
  readonly blocks: Map<number, number>
  /** Hashes of transactions by their place, block and index separated by a space, if no row of a transfer tells them. */
  readonly places: Map<string, string>
  readonly leftOut: Map<string, number>
  readonly unreadable: UnreadableRow[]
  repeated: number
  firstHeight: number | null
  lastHeight: number | null
  lastHeightAtS: number | null
}

/** A batch while its rows are read. */
export interface FillingBatch extends Batch {
  leaveOut(reason: string): void
  refuse(row: UnreadableRow): void
  addTransfer(
    id: string,
    transfer: ToldTransfer,
    is: { readonly isDeclared: boolean; readonly isCounted: boolean },
  ): void
  addOutcome(transferId: string, succeeded: boolean): void
  /** Where the transaction of the transfer is, if the file tells it: calls of other files may have no hash. */
  addPlace(transfer: ToldTransfer): void
  /** Addresses of one owner: all are joined to the first. */
  addJoin(txHash: string, addresses: readonly string[]): void
}

export function createBatch(segmentId: number, hasCalls: boolean): FillingBatch {
  return {
    segmentId,
    hasCalls,
    rows: 0,
    transfers: new Map(),
    uncounted: new Set(),
    tokens: new Map(),
    outcomes: new Map(),
    joins: new Map(),
    owners: new Map(),
    blocks: new Map(),
    places: new Map(),
    leftOut: new Map(),
    unreadable: [],
    repeated: 0,
    firstHeight: null,
    lastHeight: null,
    lastHeightAtS: null,
    leaveOut(reason) {
      this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1)
    },
    refuse(row) {
      this.unreadable.push(row)
      this.leaveOut('unreadable')
    },
    addTransfer(id, transfer, { isDeclared, isCounted }) {
      // One statement cannot update a row twice.
      if (this.transfers.has(id)) {
        if (isCounted) this.repeated += 1
        this.addPlace(transfer)
      } else {
        this.transfers.set(id, transfer)
        // The last row that tells a place is right.
        if (this.places.size > 0) this.places.delete(placeOf(transfer) ?? '')
      }
      if (!isCounted) this.uncounted.add(id)
      if (isCounted && transfer.execution === 'failed') this.leaveOut('failed')
      const { blockNumber, occurredAtS } = transfer
      if (blockNumber === null || !isDeclared) return
      if (this.firstHeight === null || blockNumber < this.firstHeight) this.firstHeight = blockNumber
      if (this.lastHeight !== null && blockNumber < this.lastHeight) return
      this.lastHeight = blockNumber
      this.lastHeightAtS = occurredAtS
    },
    addOutcome(transferId, succeeded) {
      this.outcomes.set(transferId, succeeded)
    },
    addPlace(transfer) {
      const place = this.hasCalls ? placeOf(transfer) : null
      if (place !== null) this.places.set(place, transfer.txHash)
    },
    addJoin(txHash, [first, ...others]) {
      for (const other of others) {
        const pair = `${first} ${other}`
        if (!this.joins.has(pair)) this.joins.set(pair, txHash)
      }
    },
  }
}

/** Where the transaction of a transfer is; null if the file does not tell it. */
export const placeOf = ({
  txHash,
  blockNumber,
  txIndex,
}: Pick<KeptTransfer, 'txHash' | 'blockNumber' | 'txIndex'>): string | null =>
  txHash === '' || blockNumber === null || txIndex === null ? null : `${blockNumber} ${txIndex}`

export const isFull = (
  { transfers, tokens, outcomes, joins, places, rows }: Batch,
  most: number = BATCH_TRANSFERS,
): boolean =>
  Math.max(transfers.size + tokens.size + outcomes.size + joins.size, places.size) >= most ||
  rows >= ROWS_OF_TRANSFER * most
