/** The answer of GET /v1/usage. */
export interface Counts {
  readonly calls: number
  readonly screens: number
  readonly problems: number
  readonly rate_limited: number
}

export interface UsageDay extends Counts {
  /** YYYY-MM-DD, UTC. */
  readonly day: string
}

export interface KeyUsage {
  readonly key_id: string
  readonly name: string
  readonly scope: string
  readonly status: string
  readonly last_used_at: string | null
  readonly plan: {
    readonly name: string
    readonly calls_per_second: number
    readonly burst: number
    readonly on_empty: string
  }
  readonly today: Counts
  readonly month: Counts
}

export interface UsageAnswer {
  readonly today: Counts & { readonly from: string }
  readonly month: Counts & { readonly from: string }
  readonly counted_from: string | null
  readonly days: readonly UsageDay[]
  readonly keys: readonly KeyUsage[]
}
