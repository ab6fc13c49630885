/** The scopes and limits of keys. */
import { tokenBucket, type TokenBucket } from './token-bucket.js'

/**
 * Each scope holds those before it. `read-only` keys may read everything of their account and environment; `read-write` keys may also
 * screen, decide and watch; `admin` keys may also change its keys; `operator` keys may also change what all accounts share.
 */
export const scopes = ['read-only', 'read-write', 'admin', 'operator'] as const
export type Scope = (typeof scopes)[number]

/** Whether a key with the scope `held` may do what takes `needed`. An unknown scope holds nothing. */
export function holdsScope(held: string, needed: Scope): boolean {
  return (scopes as readonly string[]).indexOf(held) >= scopes.indexOf(needed)
}

export interface Plan {
  readonly name: 'pro' | 'enterprise'
  /** Tokens per second that refill the key's bucket. */
  readonly refillPerSecond: number
  /** Tokens the bucket holds: calls that may come at once. */
  readonly burst: number
  /** `refuse`: an empty bucket is 429. `fair-use`: it is logged, and only the hard cap is 429. */
  readonly onEmpty: 'refuse' | 'fair-use'
  /** Calls per second at which even fair use ends; null if the bucket already refuses. */
  readonly hardCapPerSecond: number | null
  /** Bulk jobs that an account with this plan may have open at once, in each environment. */
  readonly maxOpenJobs: number
  /** Addresses in those jobs. */
  readonly maxWaitingItems: number
  /** Addresses that an account with this plan may watch, in each environment. */
  readonly maxWatches: number
}

/** The plans as published; an operator's configuration may change enterprise's figures. */
export const plans = {
  pro: {
    name: 'pro',
    refillPerSecond: 10,
    burst: 50,
    onEmpty: 'refuse',
    hardCapPerSecond: null,
    maxOpenJobs: 50,
    maxWaitingItems: 25_000,
    maxWatches: 10_000,
  },
  enterprise: {
    name: 'enterprise',
    refillPerSecond: 5_000,
    burst: 10_000,
    onEmpty: 'fair-use',
    hardCapPerSecond: 20_000,
    maxOpenJobs: 1_000,
    maxWaitingItems: 250_000,
    maxWatches: 100_000,
  },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof plans
export const planNames = Object.keys(plans) as PlanName[]

/** The buckets of a plan: the published one, and the one that refuses. */
export interface PlanBuckets {
  readonly published: TokenBucket
  /** The same bucket, unless the published one is fair use. */
  readonly refusing: TokenBucket
  readonly onEmpty: Plan['onEmpty']
}

/** A hard cap allows as many calls at once as it does in a second. */
export function bucketsOf(plan: Plan): PlanBuckets {
  const published = tokenBucket(plan.refillPerSecond, plan.burst)
  const refusing =
    plan.hardCapPerSecond === null ? published : tokenBucket(plan.hardCapPerSecond, plan.hardCapPerSecond)
  return { published, refusing, onEmpty: plan.onEmpty }
}

export function isPlanName(text: string): text is PlanName {
  return Object.hasOwn(plans, text)
}
