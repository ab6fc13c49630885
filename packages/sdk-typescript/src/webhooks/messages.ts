import type { BulkResult } from '../types.js'

/** The end of a bulk job. */
export interface BulkEnd {
  readonly job_id: string
  readonly livemode: boolean
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly results_url: string
  /** Missing where the endpoint has the payload `thin`. Summaries where the message would be larger than 4 MiB. */
  readonly results?: readonly (BulkResult | BulkResultSummary)[]
}

/** An item of a message that would be too large with reports. */
export interface BulkResultSummary {
  readonly index: number
  readonly address: string
  readonly status: string
  readonly report_id?: string
  readonly level?: string
  readonly score?: number
}

/** The report of a watched address changed. */
export interface ReportChange {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  readonly reference: string | null
  readonly previous: ReportSummary
  readonly current: ReportSummary
  /** What asked for the decision: `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added. */
  readonly causes: readonly string[]
  /** How many points of the difference each part makes: `labels`, `funds`, `policy`, `scorer` and `time`. Null where that was not computed. */
  readonly split: Readonly<Record<string, number>> | null
  /** Why `split` is null: `busy`, `unreadable` or `refused`; others may be added. */
  readonly split_missing: string | null
}

export interface ReportSummary {
  readonly report_id: string
  readonly level: string
  readonly score: number
}

/** How the watches stand that ask for a daily digest. */
export interface WatchDigest {
  /** UTC, YYYY-MM-DD. */
  readonly day: string
  /** UTC, RFC 3339. */
  readonly from: string
  readonly until: string
  readonly watched: number
  readonly changed: number
  readonly unchanged: number
  /** Without any report yet. */
  readonly undecided: number
  /** Whose last screenings ended without a report. They count among the others too. */
  readonly failing: number
  /** The highest scores first, at most 100. */
  readonly changes: readonly DigestedChange[]
  /** Path and query of the list of all that changed; null where `changes` has all. */
  readonly more: string | null
  /** At most 100. */
  readonly failures: readonly FailingWatch[]
}

export interface DigestedChange {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  /** Where the digest before left off. */
  readonly previous: ReportSummary
  readonly current: ReportSummary
}

export interface FailingWatch {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  /** Screenings in a row that ended without a report. */
  readonly failures: number
}

interface Message<Type extends string, Data> {
  /** Equal for all attempts of one delivery. Keep the ids that you have seen, and skip what comes again. */
  readonly webhook_id: string
  readonly type: Type
  /** UTC, RFC 3339. */
  readonly timestamp: string
  readonly data: Data
}

export type BulkCompletedMessage = Message<'bulk.completed', BulkEnd>
export type BulkCancelledMessage = Message<'bulk.cancelled', BulkEnd>
export type ReportChangedMessage = Message<'report.changed', ReportChange>
export type WatchesDigestMessage = Message<'watches.digest', WatchDigest>
export type EndpointTestMessage = Message<'endpoint.test', Readonly<Record<string, unknown>>>

/** A verified message. Types may be added: skip one that you do not know. */
export type WebhookMessage =
  | BulkCompletedMessage
  | BulkCancelledMessage
  | ReportChangedMessage
  | WatchesDigestMessage
  | EndpointTestMessage
