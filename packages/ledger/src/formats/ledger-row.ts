/** What a ledger file says, row by row, before anything is stored. */
import type { HistoryKind } from '@cupel/domain'
import type { ChainDefinition } from './chain.js'

/** A movement of value as a file tells it; addresses canonical, empty where the file says nothing. */
export interface ToldTransfer {
  /** Line of the file it is on. */
  readonly line: number
  readonly kind: 'native' | 'token' | 'internal' | 'utxo'
  readonly contract: string
  /** Empty where the file has no hashes. */
  readonly txHash: string
  /** Tells the transfers of one transaction and kind apart; null where the file does not. */
  readonly index: string | null
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly amount: bigint
  readonly blockNumber: number | null
  readonly occurredAtS: number | null
  readonly place: number | null
  /** `unknown` where the file does not say whether it succeeded. */
  readonly execution: 'proven' | 'failed' | 'unknown'
}

/** A transaction's outcome alone, for transfers that are in the ledger already. */
export interface ToldOutcome {
  readonly line: number
  readonly txHash: string
  readonly succeeded: boolean
}

export type LedgerRow =
  | { readonly type: 'transfer'; readonly transfer: ToldTransfer }
  | { readonly type: 'outcome'; readonly outcome: ToldOutcome }
  /** A row that is no transfer between two addresses, with the reason it is counted under. */
  | { readonly type: 'left-out'; readonly reason: string }

export interface LedgerFormat {
  /** Kinds a declared range of such a file speaks of, told from its columns. */
  readonly covers: (fields: ReadonlySet<string>, chain: ChainDefinition) => readonly HistoryKind[]
  /** The rows of one record. Throws LedgerFileError where the record is not what the format says. */
  readonly read: (record: FileRecord, chain: ChainDefinition) => readonly LedgerRow[]
}

/** One line of a file as names and texts; absent values are empty. */
export interface FileRecord {
  readonly line: number
  readonly text: (name: string) => string
  /** A value that is itself JSON: the inputs of a transaction. */
  readonly json: (name: string) => unknown
  readonly has: (name: string) => boolean
}
