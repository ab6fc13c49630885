/** The store of the transfers of the ledger, for the import that writes: there is one for each chain at a time. */
import type { Queryable, Transaction } from '@cupel/postgres'
import type { Batch, SegmentState } from '../batch.js'
import type { KnownIds } from '../known-ids.js'
import type { Numbers } from '../numbers.js'
import type { RowSums } from '../row-sums.js'

export interface StoredTransfers {
  /** New transfers with a counterparty. */
  readonly added: number
  /** Known transfers with a counterparty that stay retired: the batch tells them without a block, or in the block that was replaced. */
  readonly retired: number
  /** Every transfer of the batch was new, so its row is as the file tells it. */
  readonly areAsTold: boolean
  /** The sums of the rows that the store does not note in the transaction itself; see `notedSums`. */
  readonly sums: RowSums
}

export interface StorePlace {
  readonly state: SegmentState
  readonly numbers: { readonly addresses: Numbers; readonly contracts: Numbers }
  /** No row has any of the ids of the batch. */
  readonly areNew: boolean
}

export type WrittenSegment = Pick<SegmentState, 'chain' | 'segmentId'>

export interface RetiredRange {
  readonly completeFrom?: number | undefined
  readonly completeTo?: number | undefined
  /** Kinds of transfers that the declared range covers: native, internal, token. */
  readonly covers: readonly string[]
}

/**
 * Each function with a transaction runs in the one that advances or publishes the segment: what it writes counts only if the transaction is committed. Whatever an
 * import wrote whose transaction was lost counts neither then nor if the import goes on.
 */
export interface TransferWriter {
  readonly engine: 'postgres' | 'clickhouse'
  /** Transfers of a batch; without it, as many as one statement of Postgres stores well. */
  readonly batchTransfers?: number
  /** In the transaction that begins or finds the segment: other interrupted imports of the chain must begin again, because this one may take over their rows. Resolves to what that changed in the sums of all rows. */
  restartOthers(transaction: Queryable, state: WrittenSegment): Promise<RowSums>
  /** Before the first row of an import. A history of one address has few rows. */
  knownIds(state: SegmentState, isHistory: boolean): Promise<KnownIds>
  /** After its last row: from here on rows are read as fast as ever. */
  index(): Promise<void>
  /** Of a known transfer it adds what the batch proves, or what a file that replaces its range states. */
  store(transaction: Transaction, batch: Batch, place: StorePlace): Promise<StoredTransfers>
  /** What a batch tells of transactions of other files; resolves to the number of transfers that it proves, or calls failed. */
  prove(transaction: Transaction, batch: Batch, state: SegmentState): Promise<number>
  /** Transactions that the batch calls failed, and an earlier file proved: those stay proven. */
  countContradicted(transaction: Transaction, batch: Batch, state: SegmentState): Promise<number>
  /**
   * Retires the transfers of the range that the file does not contain; resolves to their number. One that another published file tells in a block
   * outside of the range moves there instead.
   */
  retire(transaction: Transaction, state: WrittenSegment, range: RetiredRange): Promise<number>
  /** Gives calls that have only a place the name that they have in other files. */
  nameCalls(transaction: Transaction, state: WrittenSegment): Promise<void>
  /** Visible transfers without a time of their own, in blocks whose time no earlier segment states. */
  countTimed(transaction: Queryable, state: WrittenSegment): Promise<number>
}
