/** Answers of the API that several pages read. */
import type { Report } from '@cupel/contracts'

export interface ListPage<Item> {
  readonly items: readonly Item[]
  /** Null at the end. A page of a search may be empty and still have a next one. */
  readonly next_page_token: string | null
}

export type ReportPage = ListPage<Report>

/** A watched address. */
export interface Watch {
  readonly watch_id: string
  readonly address: string
  readonly chain: string
  readonly reference: string | null
  readonly until: string | null
  readonly status: string
  /** What of the lists lets no address be green now. */
  readonly list_reasons: readonly string[]
  readonly last_report: {
    readonly report_id: string
    readonly level: string
    readonly score: number
    readonly generated_at: string
  } | null
}

/** A list of labels, judged at the moment of the call. */
export interface LabelList {
  readonly source: string
  readonly dataset: string
  readonly authority: string | null
  readonly whole: boolean
  readonly required: boolean
  readonly list_date: string | null
  readonly confirmed_at: string | null
  readonly published_at: string | null
  readonly age_hours: number | null
  readonly labels: number
  readonly status: string
}
