/** The request and the result of an import of a ledger file. */
import type { HistoryKind } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import type { HistoryFacts } from './segments.js'

export interface LedgerImportRequest {
  /** Path of the file. */
  readonly file: string
  readonly format: string
  /** Code of the chain, in any case. */
  readonly chain: string
  /** First and last height of the range for which the file contains every transfer of its kind. */
  readonly completeFrom?: number | undefined
  readonly completeTo?: number | undefined
  /** Kinds of transfers that the declared range covers; absent: the kinds that the format's columns show. */
  readonly covers?: readonly HistoryKind[] | undefined
  /** Retire the transfers of the declared range that the file does not contain, because blocks were reorganised. */
  readonly replace?: boolean | undefined
  /** The declared range is refused if any height of it is declared for all its kinds: of two importers of one range only one succeeds. */
  readonly onlyUndeclared?: boolean | undefined
  /** A declared range of many heights holds no transfer at all; needs a reason. */
  readonly acceptEmpty?: boolean | undefined
  /** The file is what a provider said of one address: its range, and no gap of it, concerns other addresses. */
  readonly history?: HistoryFacts | undefined
  /** Author of the import, recorded with the segment. */
  readonly importedBy: string
  /** The reason, for the audit log. An interrupted import records the reason of the operator who finishes it. */
  readonly reason?: string | undefined
}

export interface LedgerImportDeps {
  /** A database without a limit per statement. */
  readonly database: Database
  readonly now?: () => Date
  readonly onProgress?: (rows: number, rowsPerSecond: number) => void
  /** A file of so many bytes is read in a thread of its own, if there are two processors; 16 MiB by default. */
  readonly threadFromBytes?: number
}

export interface LedgerImportSummary {
  readonly status: 'imported' | 'already-imported'
  readonly segmentId: number
  readonly ledgerSeq: number
  readonly chain: string
  readonly sha256: string
  readonly rows: number
  readonly added: number
  readonly known: number
  readonly retired: number
  /** Transfers without a time that got one from this file of blocks. */
  readonly timed: number
  /** Kinds that the declared range covers. */
  readonly covers: readonly string[]
  /** Notes for the operator, in sentences. */
  readonly notes: readonly string[]
  /** Rows that are not counted transfers, by reason. */
  readonly leftOut: Readonly<Record<string, number>>
  /** Rows whose meaning is not certain, the first ones in the order of the file; `leftOut.unreadable` counts all. */
  readonly unreadable: readonly { readonly line: number; readonly message: string }[]
  readonly firstHeight: number | null
  readonly lastHeight: number | null
  /** Rows that an interrupted import of the file had already stored. */
  readonly resumedAt: number
  readonly durationMs: number
  readonly rowsPerSecond: number
}

export type LedgerImportResult =
  | LedgerImportSummary
  | { readonly status: 'refused'; readonly message: string; readonly line: number | null }
