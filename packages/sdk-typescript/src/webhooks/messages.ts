import type { BulkResult, Transfer } from '../generated/models.js'

/** The end of a bulk job. */
export interface BulkEnd {
  readonly job_id: string
  /** Null or missing if the job has no name. */
  readonly name?: string | null
  readonly livemode: boolean
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly results_url: string
  /** Missing if the endpoint has the payload `thin`. Contains summaries if the message would be larger than 4 MiB. */
  readonly results?: readonly (BulkResult | BulkResultSummary)[]
}

/** An item of a message that would be too large with reports. */
export interface BulkResultSummary {
  /** Place of the address in the submission, from 1. */
  readonly number: number
  readonly address: string
  readonly reference?: string
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
  /** Why the current report has its level, in words; absent or empty if the service is of an earlier version. */
  readonly why?: string
  /** Why the current report is grey, each reason with its remedy; empty for other levels. */
  readonly reasons?: readonly LevelReason[]
  /** The causes of the decision: `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added. */
  readonly causes: readonly string[]
  /** The points of the difference by part: `labels`, `funds`, `policy`, `scorer`, `time` and `not_examined`. Null if they were not computed. */
  readonly split: Readonly<Record<string, number>> | null
  /** Why `split` is null: `busy`, `unreadable` or `refused`; others may be added. */
  readonly split_missing: string | null
}

export interface LevelReason {
  /** A code of `risk.level_reasons` of the report. */
  readonly code: string
  readonly text: string
}

export interface ReportSummary {
  readonly report_id: string
  readonly level: string
  readonly score: number
}

/** The state of the watches that are part of a daily digest. */
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
  /** Watches whose last screenings ended without a report. They also count in the other numbers. */
  readonly failing: number
  /** The highest scores first, at most 100. */
  readonly changes: readonly DigestedChange[]
  /** Path and query of the list of all changed watches; null if `changes` has all. */
  readonly more: string | null
  /** At most 100. */
  readonly failures: readonly FailingWatch[]
}

export interface DigestedChange {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  /** The state at the previous digest. */
  readonly previous: ReportSummary
  readonly current: ReportSummary
}

export interface FailingWatch {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  /** Number of consecutive screenings that ended without a report. */
  readonly failures: number
}

/** A watched address whose last screenings ended without a whole report. */
export interface FailedWatch {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  readonly reference: string | null
  /** Id of the last screening. */
  readonly report_id: string
  /** Number of consecutive screenings that ended without a whole report. */
  readonly failures: number
}

/** The screening of a transfer ended. */
export interface ScreenedTransfer {
  /** Also the id of the report of the counterparty. */
  readonly transfer_id: string
  readonly livemode: boolean
  /** `completed`, or `failed` if it could not be screened. */
  readonly status: string
  /** `allow`, `review` or `reject`; null if it could not be screened. */
  readonly recommendation: string | null
  /** Level of the counterparty. */
  readonly level: string | null
  readonly score: number | null
  /** Why it could not be screened; null if it was. */
  readonly error: { readonly code: string; readonly detail: string } | null
  readonly transfer_path: string
  /** Missing if the endpoint has the payload `thin`, or the transfer could not be screened. */
  readonly transfer?: Transfer
}

interface Message<Type extends string, Data> {
  /** Equal for all attempts of one delivery. Keep the ids that you have seen, and skip repeats. */
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
export type WatchFailedMessage = Message<'watch.failed', FailedWatch>
export type TransferScreenedMessage = Message<'transfer.screened', ScreenedTransfer>
export type EndpointTestMessage = Message<'endpoint.test', Readonly<Record<string, unknown>>>

/** A verified message. Types may be added: skip one that you do not know. */
export type WebhookMessage =
  | BulkCompletedMessage
  | BulkCancelledMessage
  | ReportChangedMessage
  | WatchesDigestMessage
  | WatchFailedMessage
  | TransferScreenedMessage
  | EndpointTestMessage
