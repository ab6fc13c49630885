/** The plans as the gate applies them: columns for the statement, and the rate limit that a caller sees. */
import type { Logger, Metrics } from '@cupel/contracts'
import {
  bucketsOf,
  bucketStanding,
  bucketWindowSeconds,
  wholeSeconds,
  type Plan,
  type PlanName,
} from '@cupel/domain'

/** The state of a key's published bucket after a call. */
export interface RateLimit {
  readonly plan: PlanName
  /** Depth of the bucket. */
  readonly quota: number
  /** Seconds an empty bucket takes to fill. */
  readonly windowSeconds: number
  /** Whole tokens left. */
  readonly remaining: number
  /** Seconds until there is one more, rounded up; 0 if the bucket is full. */
  readonly nextTokenSeconds: number
}

export interface PlanTable {
  /** Name, interval, depth, hard interval, hard depth, fair use: one array each, for access.admit_calls. */
  readonly columns: readonly unknown[]
  /** Debts are microseconds until the bucket is full again. */
  readonly standing: (
    key: { readonly plan: PlanName; readonly keyId: string },
    debtUs: number,
    hardDebtUs: number,
  ) => { readonly rateLimit: RateLimit; readonly retryAfterSeconds: number }
}

/** A key beyond fair use is logged at most once in this time. */
const FAIR_USE_LOG_INTERVAL_MS = 60_000
/** Keys remembered for that; beyond it all keys may be logged again. */
const MAX_LOGGED_KEYS = 10_000

export function createPlanTable(options: {
  plans: Readonly<Record<PlanName, Plan>>
  logger: Logger
  metrics: Metrics
}): PlanTable {
  const { logger, plans } = options
  const rows = Object.values(plans).map((plan) => ({ name: plan.name, ...bucketsOf(plan) }))
  const buckets = new Map(rows.map((row) => [row.name, row]))
  const beyondFairUse = options.metrics.counter(
    'admission_beyond_fair_use_total',
    'Calls admitted although the fair-use bucket of their key was empty.',
  )
  const loggedMs = new Map<string, number>()

  const noteFairUse = (keyId: string, plan: PlanName): void => {
    beyondFairUse.inc()
    const nowMs = performance.now()
    if (nowMs - (loggedMs.get(keyId) ?? -Infinity) < FAIR_USE_LOG_INTERVAL_MS) return
    if (loggedMs.size >= MAX_LOGGED_KEYS) loggedMs.clear()
    loggedMs.set(keyId, nowMs)
    logger.warn({ keyId, plan }, 'A key is beyond fair use; it is refused only at the hard cap')
  }

  return {
    columns: [
      rows.map((row) => row.name),
      rows.map((row) => row.published.intervalUs),
      rows.map((row) => row.published.depth),
      rows.map((row) => row.refusing.intervalUs),
      rows.map((row) => row.refusing.depth),
      rows.map((row) => row.onEmpty === 'fair-use'),
    ],
    standing({ plan, keyId }, debtUs, hardDebtUs) {
      const { published, refusing, onEmpty } = buckets.get(plan)!
      const { remaining, nextTokenUs } = bucketStanding(published, debtUs)
      if (onEmpty === 'fair-use' && remaining === 0) noteFairUse(keyId, plan)
      const nextTokenSeconds = wholeSeconds(nextTokenUs)
      const waitUs = onEmpty === 'refuse' ? nextTokenUs : bucketStanding(refusing, hardDebtUs).nextTokenUs
      return {
        rateLimit: {
          plan,
          quota: published.depth,
          windowSeconds: bucketWindowSeconds(published),
          remaining,
          nextTokenSeconds,
        },
        // Never less than the `t` of the RateLimit field.
        retryAfterSeconds: Math.max(1, nextTokenSeconds, wholeSeconds(waitUs)),
      }
    },
  }
}
