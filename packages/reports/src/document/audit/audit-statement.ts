/** The question and the findings of an audit, as attached to the PDF: names as in the JSON answers of the commands. */

export interface AuditStatement {
  readonly format: typeof STATEMENT_FORMAT
  readonly command: 'audit recompute'
  /** RFC 3339, UTC. */
  readonly made_at: string
  /** The user of the operating system. */
  readonly made_by: string
  /** Version of the command. */
  readonly release: string
  /** Name of the signing keys of the installation; null where the command knows none. */
  readonly installation: string | null
  /** Identity of the log. */
  readonly log: string
  readonly asked: AuditQuestion
  /** Whether the audit would have detected records of other producers. */
  readonly checks_macs: boolean
  /** The key that signs the PDF; null if it is not signed. */
  readonly signed_by: string | null
  /** A sentence; null if the PDF is signed. */
  readonly unsigned_because: string | null
  readonly answer: RecomputeAnswer
}

export const STATEMENT_FORMAT = 'cupel-audit-statement-1'
/** Name of the PDF's attachment. */
export const STATEMENT_NAME = 'statement.json'

export interface AuditQuestion {
  /** Null if the log itself was read. */
  readonly archive: {
    readonly place: string
    readonly manifest: number
    readonly manifest_sha256: string
    readonly manifest_time: string
    readonly key_id: string
  } | null
  /** SHA-256 of the file of public keys that the auditor gave; null if the keys of the home were used. */
  readonly public_keys_sha256: string | null
  readonly levels: readonly string[]
  readonly since: string | null
  readonly report_id: string | null
  readonly limit: number
  readonly expected_log: string | null
  readonly min_reports: number | null
}

export interface CountedVersion {
  readonly name: string | null
  readonly reports: number
}

export interface RecomputeAnswer {
  readonly reports: number
  readonly is_proven: boolean
  readonly levels: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly findings: readonly {
    readonly report_id: string
    readonly level: string
    readonly status: string
    readonly paths: readonly string[]
    readonly reason: string | null
    readonly topic: string
    readonly partition: number
    readonly offset: number
  }[]
  readonly findings_omitted: number
  readonly missing_fronts: readonly {
    readonly topic: string
    readonly partition: number
    readonly begins_at: number
  }[]
  readonly erased_references: number
  readonly scorers: readonly CountedVersion[]
  readonly policies: readonly CountedVersion[]
  readonly ranges: readonly {
    readonly topic: string
    readonly partition: number
    readonly from: number
    readonly to: number
  }[]
  readonly resumed_reports: number
  readonly measured: { readonly seconds: number; readonly cpu_seconds: number }
}
