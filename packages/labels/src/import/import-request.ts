/** What an import is asked to do, and what it answers. */
import type { Category, Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { SetRefusal } from '../formats/label-source.js'
import type { Database } from '@cupel/postgres'

export interface LabelImportRequest {
  /** Path of the file. */
  readonly file: string
  /** Name of a format, for example `csv`. */
  readonly format: string
  /** Speaks for every row, whatever the rows say; without it the rows, else the format, name the source. */
  readonly source?: string | undefined
  /** Dataset within the source; the name of the file where none is given. */
  readonly set?: string | undefined
  /** Date of the list where its format states none: a date or an RFC 3339 time. */
  readonly asOf?: string | undefined
  /** The file adds to the set and retires nothing. */
  readonly append?: boolean | undefined
  /** Removals beyond the guard that the operator accepts: exactly as many as there are. Needs a reason. */
  readonly acceptRemovals?: number | undefined
  readonly reason?: string | undefined
  /** Everything but writing. */
  readonly dryRun?: boolean | undefined
  /** Second file of the format, for example sdn_comments.csv. */
  readonly companion?: string | undefined
  /** For formats that state none. */
  readonly category?: Category | undefined
  /** For formats that state none. */
  readonly chain?: string | undefined
  /** Who imports, for the audit log. */
  readonly importedBy: string
  /** The set is refreshed on a schedule: from this publication on it is required to be fresh. */
  readonly refreshConfigured?: boolean | undefined
  /** Refuses a file whose set is dated before: a source that stands still must not look fresh. UTC, RFC 3339. */
  readonly notBefore?: string | undefined
  /** Return when the labels are published, without waiting until the label view shows them. */
  readonly returnEarly?: boolean | undefined
}

export interface LabelImportDeps {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /**
   * `elsewhere`: a running projector keeps the label view up to date. `here`: none does, so the import runs the view
   * itself for as long as it takes. Both at once do no harm: they share the work.
   */
  readonly labelView: 'elsewhere' | 'here'
  readonly onProgress?: ((progress: LabelImportProgress) => void) | undefined
  /** Labels of one set kept in memory on each side of the comparison; more go to a temporary table. */
  readonly memoryLabels?: number | undefined
}

export interface LabelImportProgress {
  readonly phase: 'reading' | 'waiting-for-lock' | 'comparing' | 'appending' | 'publishing' | 'projecting'
  /** Rows of the file read, or events appended, so far. */
  readonly rows: number
  readonly rowsPerSecond: number
}

export interface RefusedRow {
  readonly line: number
  readonly reason: string
}

/** What an import did, or with `dryRun` would do, to one set. */
export interface SetSummary {
  readonly source: string
  readonly dataset: string
  readonly importId: string
  /** Date of the list. */
  readonly asOf: string | null
  /** The file is older than the set already published: it added history and changed nothing current. */
  readonly historical: boolean
  /** The set is an authority's own list. */
  readonly authority: boolean
  /** Labels of the set afterwards. */
  readonly total: number
  /** Facts not stated before. */
  readonly added: number
  /** Facts stated before with another confidence, role, origin, kind or link. */
  readonly changed: number
  readonly unchanged: number
  /** Facts no longer stated. */
  readonly retired: number
  /** Rows that repeat a fact of the same file. */
  readonly repeated: number
}

export interface LabelImportSummary {
  readonly status: 'imported' | 'dry-run'
  readonly file: string
  readonly format: string
  readonly sha256: string
  readonly sets: readonly SetSummary[]
  readonly rows: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly retired: number
  readonly repeated: number
  /** Entries of the file that are not labels of ours. */
  readonly skipped: number
  /** Every refused row is counted; the first ones are listed. */
  readonly refused: { readonly count: number; readonly rows: readonly RefusedRow[] }
  readonly warnings: readonly string[]
  /** Whether the label view shows the import. */
  readonly visible: boolean
  /** From the first byte read to visible. */
  readonly durationMs: number
  readonly rowsPerSecond: number
}

export type ImportRefusal =
  | SetRefusal
  | 'unknown-format'
  | 'bad-option'
  | 'no-source'
  | 'no-usable-row'
  | 'too-many-sources'
  | 'too-many-removals'
  | 'changed-while-read'
  | 'too-old'

/** Nothing was written; what was published before stays in force. */
export interface LabelImportRefused {
  readonly status: 'refused'
  readonly refusal: ImportRefusal
  /** One sentence for the operator. */
  readonly message: string
  readonly line: number | null
  /** Where removals were refused: how many they are, the number to accept. */
  readonly removals: number | null
  readonly refused: { readonly count: number; readonly rows: readonly RefusedRow[] }
}

export type LabelImportResult = LabelImportSummary | LabelImportRefused

/** Ends an import before it wrote anything. */
export class ImportRefusedError extends Error {
  override readonly name = 'ImportRefusedError'
  readonly refusal: ImportRefusal
  readonly line: number | null
  readonly removals: number | null

  constructor(
    refusal: ImportRefusal,
    message: string,
    details: { line?: number | null; removals?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.refusal = refusal
    this.line = details.line ?? null
    this.removals = details.removals ?? null
  }
}
