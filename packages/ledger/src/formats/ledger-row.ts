/** The rows of ledger files, before they are stored. */
import type { HistoryKind } from '@cupel/domain'
import type { ChainDefinition } from './chain.js'

/** A transfer as a file states it. Addresses are canonical, or empty if the file states none. */
export interface ToldTransfer {
  /** Line of the file. */
  readonly line: number
  readonly kind: 'native' | 'token' | 'internal' | 'utxo'
  readonly contract: string
  /** In the form of `foldedHash`; empty if the file has no hashes. */
  readonly txHash: string
  /** Distinguishes the transfers of one transaction and kind; null if the file has no index. */
  readonly index: string | null
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly amount: bigint
  readonly blockNumber: number | null
  /** Seconds since 1970. */
  readonly occurredAtS: number | null
  /** Index of the transaction in its block. */
  readonly txIndex: number | null
  /** Index of the log in its block, or place of the call in its transaction. */
  readonly place: number | null
  /** `unknown` if the file does not state whether it succeeded. */
  readonly execution: 'proven' | 'failed' | 'unknown'
  /** Change of the sender's and of the receiver's balance by the whole transaction, base units, on one of its transfers. */
  readonly fromNet?: bigint
  readonly toNet?: bigint
}

/** A transfer as it is stored: what tells it apart in its file is in its id. */
export type KeptTransfer = Omit<ToldTransfer, 'line' | 'index'>

/** The outcome of a transaction whose transfers are already in the ledger. */
export interface ToldOutcome {
  readonly txHash: string
  readonly succeeded: boolean
}

export type LedgerRow =
  | { readonly type: 'transfer'; readonly transfer: ToldTransfer }
  /** A transfer that changes the balance of an address, and has no counterparty. */
  | { readonly type: 'balance'; readonly transfer: ToldTransfer }
  | { readonly type: 'outcome'; readonly outcome: ToldOutcome }
  /** Addresses that one transaction spent from together, each once. */
  | { readonly type: 'inputs'; readonly txHash: string; readonly addresses: readonly string[] }
  | { readonly type: 'block'; readonly line: number; readonly height: number; readonly atS: number }
  /** A row that is not a transfer between two addresses, with the reason under which it is counted. */
  | { readonly type: 'left-out'; readonly reason: string }

export interface LedgerFormat {
  /** Whether a file with these columns has the format, rows or none: an error page is not a file without rows. */
  readonly knows: (fields: Pick<FileRecord, 'has'>) => boolean
  /**
   * Kinds of transfers that a file with these columns holds. Null if the columns do not show it; then the import must state which kinds its
   * declared range covers.
   */
  readonly covers: (fields: Pick<FileRecord, 'has'>, chain: ChainDefinition) => readonly HistoryKind[] | null
  /** An output without an address has a script without one; in other formats an empty cell may have lost an address. */
  readonly tellsScripts?: true
  /** Whether a file with these columns is read twice: its records depend on others of the file. */
  readonly isSurveyed?: (fields: Pick<FileRecord, 'has'>, chain: ChainDefinition) => boolean
  /** A reader for one file. */
  readonly open: (chain: ChainDefinition) => RecordReader
}

export interface RecordReader {
  /** Reads every record of a surveyed file before the first row is made. */
  readonly survey?: (record: FileRecord) => void
  /** The rows of one record. Throws UnreadableRowError if its meaning is not certain. */
  readonly read: (record: FileRecord) => readonly LedgerRow[]
}

/** One line of a file as names and texts; a missing value is an empty text. */
export interface FileRecord {
  readonly line: number
  readonly text: (name: string) => string
  /** A value that is JSON, such as the inputs of a transaction. */
  readonly json: (name: string) => unknown
  readonly has: (name: string) => boolean
  /** Every name, in the order of the file. */
  readonly names: readonly string[]
}
