/** The answers of GET /v1/ledger and GET /v1/ledger/imports. */
export interface Heights {
  readonly from_height: number
  readonly to_height: number
}

export interface LedgerKind {
  readonly kind: string
  readonly needed: boolean
  readonly faults: readonly string[]
  readonly ranges: readonly (Heights & { readonly to_at: string | null; readonly unreadable_rows: boolean })[]
  readonly ranges_omitted: number
  readonly gaps: readonly Heights[]
  readonly gaps_omitted: number
}

export interface LedgerChain {
  readonly chain: string
  readonly imports: number
  readonly open_imports: number
  readonly outdated_imports: number
  readonly transfers: number
  readonly last_height: number | null
  readonly imported_at: string | null
  readonly kinds: readonly LedgerKind[]
}

export interface LedgerFollower {
  readonly chain: string
  readonly next_height: number
  readonly head_height: number | null
  readonly lag_blocks: number | null
  readonly lag_s: number | null
  readonly fault: string | null
}

export interface LedgerState {
  readonly looked_at: string
  readonly ledger_seq: number
  readonly max_age_hours: number
  readonly asset_table: string
  readonly chains: readonly LedgerChain[]
  readonly followers: readonly LedgerFollower[]
  readonly providers: readonly {
    readonly provider: string
    readonly calls_today: number
    readonly last_day: string
  }[]
  readonly readings: { readonly reading: number; readonly read: number; readonly failed: number }
  readonly prices: {
    readonly sha256: string
    readonly file_name: string
    readonly prices: number
    readonly assets: readonly string[]
    readonly first_day: string
    readonly last_day: string
    readonly unpriced_days: number
    readonly early_ends: readonly { readonly asset: string; readonly last_day: string }[]
    readonly imported_at: string
    readonly imported_by: string
  } | null
}

export interface LedgerImport {
  readonly import_id: number
  readonly state: string
  readonly ledger_seq: number | null
  readonly chain: string
  readonly format: string
  readonly file_name: string
  readonly covers: readonly string[]
  readonly complete_from: number | null
  readonly complete_to: number | null
  readonly rows: number
  readonly added: number
  readonly left_out: readonly { readonly reason: string; readonly rows: number }[]
  readonly started_at: string
  readonly imported_at: string | null
  readonly imported_by: string
}
