/** The inbox as the API answers it. */
interface ReportInShort {
  readonly report_id: string
  readonly level: string
  readonly score: number
}

export interface InboxEntry {
  readonly entry_id: string
  /** `report_changed`, `proposal_waiting` or `watch_failed`; a later version may have others. */
  readonly kind: string
  readonly at: string
  readonly read: boolean
  readonly report_id: string | null
  readonly address: string
  readonly chain: string
  readonly watch_id: string | null
  readonly reference: string | null
  readonly previous: ReportInShort | null
  readonly current: ReportInShort | null
  readonly why: string | null
  readonly reasons: readonly { readonly code: string; readonly text: string }[]
  readonly causes: readonly string[]
  readonly split: Readonly<Record<string, number>> | null
  readonly split_missing: string | null
  readonly disposition: string | null
  readonly failures: number | null
}

export interface UnreadCount {
  readonly unread: number
  readonly is_lower_bound: boolean
  readonly list_reasons: readonly string[]
}
