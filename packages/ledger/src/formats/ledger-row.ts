/** The rows of ledger files, before they are stored. */
import type { HistoryKind } from '@cupel/domain'
import type { ChainDefinition } from './chain.js'

/** A transfer as a file states it. Addresses are canonical, or empty if the file states none. */
export interface ToldTransfer {
  /** Line of the file. */
  readonly line: number
  readonly kind: 'native' | 'token' | 'internal' | 'utxo'
  readonly contract: string
  /** Empty if the file has no hashes. */
  readonly txHash: string
  /** Distinguishes the transfers of one transaction and kind; null if the file has no index. */
  readonly index: string | null
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly amount: bigint
  readonly blockNumber: number | null
  readonly occurredAtS: number | null
  readonly place: number | null
  /** `unknown` if the file does not say whether it succeeded. */
  readonly execution: 'proven' | 'failed' | 'unknown'
}

/** The outcome of a transaction whose transfers are in the ledger already. */
export interface ToldOutcome {
  readonly line: number
  readonly txHash: string
  readonly succeeded: boolean
}

export type LedgerRow =
  | { readonly type: 'transfer'; readonly transfer: ToldTransfer }
  | { readonly type: 'outcome'; readonly outcome: ToldOutcome }
  /** A row that is not a transfer between two addresses, with the reason under which it is counted. */
  | { readonly type: 'left-out'; readonly reason: string }

export interface LedgerFormat {
  /** Kinds of transfers that a declared range of the file covers, according to its columns. */
  readonly covers: (fields: ReadonlySet<string>, chain: ChainDefinition) => readonly HistoryKind[]
  /** The rows of one record. Throws LedgerFileError if the record does not have the format. */
  readonly read: (record: FileRecord, chain: ChainDefinition) => readonly LedgerRow[]
}

/** One line of a file as names and texts; a missing value is an empty text. */
export interface FileRecord {
  readonly line: number
  readonly text: (name: string) => string
  /** A value that is JSON, such as the inputs of a transaction. */
  readonly json: (name: string) => unknown
  readonly has: (name: string) => boolean
}
