/** The state that the steps of one import share. */
import type { ChainDefinition } from './formats/chain.js'
import type { LedgerFormat } from './formats/ledger-row.js'
import type { LedgerImportDeps, LedgerImportRequest } from './import-request.js'
import type { TransferWriter } from './store/transfer-writer.js'

export interface ImportRun {
  readonly request: LedgerImportRequest
  readonly deps: LedgerImportDeps
  readonly chain: ChainDefinition
  readonly format: LedgerFormat
  /** SHA-256 of the file, lowercase hex. */
  readonly sha256: string
  /** Kinds that the declared range covers; empty without a range. */
  readonly covers: readonly string[]
  readonly now: Date
  readonly writer: TransferWriter
}
