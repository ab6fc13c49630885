/** What the bodies of webhooks are made from. */

export interface EndedJob {
  readonly jobId: string
  /** As it is stored; null if the job has no name. */
  readonly name: string | null
  /** False for the sandbox. */
  readonly livemode: boolean
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly endedAt: string
}

/** One address of a job, as its results show it. */
export interface EndedItem {
  /** Its place in the job, from 1. */
  readonly number: number
  readonly address: string
  /** As it is stored; absent if the item has none. */
  readonly reference?: string | undefined
  readonly status: string
  readonly reportId: string | null
  /** The report as callers receive it, as JSON text; the body contains it unchanged. */
  readonly report: string | null
  readonly error: { readonly code: string; readonly detail: string } | null
}

/** A watched address whose report changed. */
export interface ChangedReport {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  readonly reference: string | null
  readonly previous: ReportSummary
  readonly current: ReportSummary
  /** Why the later report has its level, in words; empty for a change that an earlier version told. */
  readonly why: string
  /** Each level reason of the later report, with its words and its remedy. */
  readonly reasons: readonly { readonly code: string; readonly text: string }[]
  readonly causes: readonly string[]
  /** UTC, RFC 3339 with milliseconds. */
  readonly changedAt: string
  /** The part of each cause in the difference of the scores, in points; null if it was not computed. */
  readonly split: {
    readonly labels: number
    readonly funds: number
    readonly policy: number
    readonly scorer: number
    readonly time: number
    readonly notExamined: number
  } | null
  /** Why there is no split: `busy`, `unreadable` or `refused`; null if there is one. */
  readonly splitMissing: string | null
}

export interface ReportSummary {
  readonly reportId: string
  readonly level: string
  readonly score: number
}

/** A watched address of which three screenings in a row ended without a whole report. */
export interface FailedWatch {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  readonly reference: string | null
  /** Id of the third screening. */
  readonly reportId: string
  readonly failures: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly failedAt: string
}

/** A transfer whose screening ended. */
export interface ScreenedTransfer {
  /** Also the id of the report of its counterparty. */
  readonly transferId: string
  readonly livemode: boolean
  /** UTC, RFC 3339 with milliseconds. */
  readonly endedAt: string
  /** Null if it could not be screened. */
  readonly transfer: RecommendedTransfer | null
  /** Why it could not be screened; null if it was. */
  readonly error: { readonly code: string; readonly detail: string } | null
}

export interface RecommendedTransfer {
  readonly recommendation: string
  /** Level and score of the counterparty. */
  readonly level: string
  readonly score: number
  readonly chain: string
  readonly direction: string
  readonly counterparty: string
  /** In whole ones. */
  readonly amount: string
  /** Its symbol, or its contract. */
  readonly asset: string
  /** Each reason in words. */
  readonly reasons: readonly string[]
  /** The transfer as callers read it, as JSON text; the body contains it unchanged. */
  readonly json: string
}

/** The state of an account's watches, once a day. */
export interface WatchDigest {
  /** UTC, YYYY-MM-DD. */
  readonly day: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly from: string
  readonly until: string
  readonly watched: number
  readonly changed: number
  readonly unchanged: number
  readonly undecided: number
  /** Watches without a known change whose last screening failed, or whose next one is due or has not ended. */
  readonly unknown: number
  readonly failing: number
  readonly changes: readonly {
    readonly watchId: string
    readonly address: string
    readonly chain: string
    readonly previous: ReportSummary
    readonly current: ReportSummary
  }[]
  readonly failures: readonly {
    readonly watchId: string
    readonly address: string
    readonly chain: string
    readonly failures: number
  }[]
}
