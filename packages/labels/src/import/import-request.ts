/** The request and the result of an import. */
import type { Category, Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { SetRefusal } from '../formats/label-source.js'
import type { Database } from '@cupel/postgres'
import type { LeftOutRows } from './left-out-rows.js'

export interface LabelImportRequest {
  /** Path of the file. */
  readonly file: string
  /** Name of a format, for example `csv`. */
  readonly format: string
  /** Source of every row, even if the rows name another; without it the rows, or else the format, name the source. */
  readonly source?: string | undefined
  /** Dataset within the source; by default the name of the file. */
  readonly set?: string | undefined
  /** Date of the list, for formats that state none: a date or an RFC 3339 time. */
  readonly asOf?: string | undefined
  /** The file only adds to the set; no label is retired. */
  readonly append?: boolean | undefined
  /** The file is the authority's complete list. Formats that always are (LabelFormat.wholeAuthorityList) need no such statement. */
  readonly whole?: boolean | undefined
  /** Sets that this one withdraws, as SOURCE/DATASET, or DATASET if the source is the same. */
  readonly replaces?: readonly string[] | undefined
  /** The exact number of removals that the operator accepts after the guard refused them. Needs a reason. */
  readonly acceptRemovals?: number | undefined
  /**
   * The exact number of unreadable rows that the operator accepts. Needs a reason. Another number refuses the import, except on a
   * schedule: then the set is published, and incomplete.
   */
  readonly acceptUnreadable?: number | undefined
  readonly reason?: string | undefined
  /** Read, check and compare, but append nothing. */
  readonly dryRun?: boolean | undefined
  /** Second file of the format, for example sdn_comments.csv. */
  readonly companion?: string | undefined
  /** Category for formats that state none. */
  readonly category?: Category | undefined
  /** Chain for formats that state none. */
  readonly chain?: string | undefined
  /** Author of the import; recorded with the set. */
  readonly importedBy: string
  /** The set is refreshed on a schedule: from this publication on it must be fresh. */
  readonly refreshConfigured?: boolean | undefined
  /** The time of a refresh that found the file at an address of these authorities (origins); never set for a manual import. */
  readonly confirmed?: { readonly at: string; readonly authorities: readonly string[] } | undefined
  /** Reject a set with an earlier date: a source that is no longer updated must not look fresh. UTC, RFC 3339. */
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
   * `elsewhere`: a running projector keeps the label view up to date. `here`: no projector runs, so the import runs the view
   * itself until it is done. Both at once are safe: they share the work.
   */
  readonly labelView: 'elsewhere' | 'here'
  readonly onProgress?: ((progress: LabelImportProgress) => void) | undefined
  /** Labels of one set kept in memory on each side of the comparison; above this number a temporary table holds them. */
  readonly memoryLabels?: number | undefined
}

export interface LabelImportProgress {
  readonly phase: 'reading' | 'waiting-for-lock' | 'comparing' | 'appending' | 'publishing' | 'projecting'
  /** Rows read or events appended so far. */
  readonly rows: number
  readonly rowsPerSecond: number
}

/** An address that loses its designation, with the label that gave it. */
export interface LostDesignation {
  /** The origin of the authority, for example us-ofac. */
  readonly authority: string
  readonly chain: string
  readonly address: string
  readonly entity: string
  readonly source: string
  readonly dataset: string
  /** Another source restated the designation. It ends because the authority's own list does not state it. */
  readonly isRestatement: boolean
}

/** The changes that an import made, or with `dryRun` would make, to one set. */
export interface SetSummary {
  readonly source: string
  readonly dataset: string
  readonly importId: string
  /** Date of the list. */
  readonly asOf: string | null
  /** The file is older than the published set: it added history and did not change the current labels. */
  readonly historical: boolean
  /** The set is the list of an authority. */
  readonly authority: boolean
  /** The set is the authority's complete list. */
  readonly whole: boolean
  /** Labels of the set after the import. */
  readonly total: number
  /** Facts that the set did not state before. */
  readonly added: number
  /** Facts that are stated differently than before: another confidence, link, date of designation, programme … */
  readonly changed: number
  readonly unchanged: number
  /** Facts that the set no longer states. */
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
  /** Rows of the document: those read, refused, skipped and unreadable. */
  readonly rows: number
  readonly rowsRead: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly retired: number
  /** Labels of the replaced sets, all of which end. */
  readonly replaced: number
  /** Addresses that no set of their authority designates any more. */
  readonly lost: readonly LostDesignation[]
  readonly repeated: number
  /** Entries of the file without an address or a category that Cupel knows. */
  readonly skipped: LeftOutRows
  /** Unusable rows. */
  readonly refused: LeftOutRows
  /** Rows of a designating list that do not say whom they designate. */
  readonly unreadable: LeftOutRows
  readonly warnings: readonly string[]
  /** Whether the label view shows the import. */
  readonly visible: boolean
  /** Time from the first byte read until the labels are visible. */
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
  | 'unclear-source'
  | 'too-many-removals'
  | 'unreadable-rows'
  | 'other-list'
  | 'superseded'
  | 'changed-while-read'
  | 'too-old'

/** Nothing was appended; the published sets stay in force. */
export interface LabelImportRefused {
  readonly status: 'refused'
  readonly refusal: ImportRefusal
  /** One sentence for the operator. */
  readonly message: string
  readonly line: number | null
  /** If removals were refused: their number, which the operator may accept. */
  readonly removals: number | null
  /** If removals were refused: the addresses that would lose a designation. */
  readonly lost: readonly LostDesignation[]
  readonly skipped: LeftOutRows
  readonly refused: LeftOutRows
  readonly unreadable: LeftOutRows
}

export type LabelImportResult = LabelImportSummary | LabelImportRefused

/** Refuses an import before it appended anything. */
export class ImportRefusedError extends Error {
  override readonly name = 'ImportRefusedError'
  readonly refusal: ImportRefusal
  readonly line: number | null
  readonly removals: number | null
  readonly lost: readonly LostDesignation[]

  constructor(
    refusal: ImportRefusal,
    message: string,
    details: {
      line?: number | null
      removals?: number
      lost?: readonly LostDesignation[]
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: details.cause })
    this.refusal = refusal
    this.line = details.line ?? null
    this.removals = details.removals ?? null
    this.lost = details.lost ?? []
  }
}
