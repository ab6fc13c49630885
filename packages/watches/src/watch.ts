/** A watch as its account sees it. */
import type { ApiCall } from '@cupel/contracts'
import { asFields, asTimes, timeText } from '@cupel/postgres'

/** An account in one of its environments. */
export interface Owner {
  readonly accountId: string
  readonly livemode: boolean
}

/** The maker of a change, and the call that its event records. */
export interface Actor {
  readonly keyId: string
  /** Empty if nobody is signed in. */
  readonly person: string
  readonly call: ApiCall
}

export interface LastReport {
  readonly reportId: string
  readonly level: string
  readonly score: number
  /** When it was decided; UTC, RFC 3339 with milliseconds. */
  readonly reportedAt: string
}

export type WatchStatus = 'active' | 'ended'

export interface Watch extends Owner {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  readonly candidateChains: readonly string[]
  readonly reference: string | null
  /** UTC, RFC 3339 with milliseconds; null: without an end. */
  readonly until: string | null
  readonly thresholdHundredths: number
  /** Part of the daily digest. */
  readonly digest: boolean
  readonly createdAt: string
  readonly status: WatchStatus
  /** Null until the first decision. */
  readonly lastReport: LastReport | null
}

/** Columns of `watches.watch w` as a Watch. */
export const WATCH_FIELDS = `${asFields(
  'w.watch_id, w.account_id, w.livemode, w.address, w.chain, w.candidate_chains, w.reference, w.threshold_hundredths, w.digest',
)}, ${asTimes('w.until, w.created_at')},
  CASE WHEN w.until <= clock_timestamp() THEN 'ended' ELSE 'active' END AS status,
  CASE WHEN w.report_id IS NOT NULL THEN json_build_object('reportId', w.report_id, 'level', w.level, 'score', w.score,
    'reportedAt', ${timeText('w.reported_at')}) END AS "lastReport"`
