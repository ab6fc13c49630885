/** What one key may give to another: nothing that it does not have itself. */
import { holdsScope, planNames, type Environment, type PlanName, type Scope } from '@cupel/domain'
import { isRangeWithin } from '@cupel/kit/http-edge'

export interface KeyRights {
  readonly accountId: string
  readonly environment: Environment
  readonly scope: Scope
  readonly plan: PlanName
  /** CIDR ranges; empty: usable from anywhere. */
  readonly allowedIps: readonly string[]
  readonly webhookAdmin: boolean
  /** UTC, RFC 3339; null: it does not expire. */
  readonly expiresAt: string | null
}

/**
 * The first right that `wanted` has and that a key with the rights `own` may not give, in words; null if it may give all of them. Only an
 * operator at a shell gives the scope `operator`, so that nobody who took over such a key stays.
 */
export function excessOf(own: KeyRights, wanted: KeyRights): string | null {
  if (!holdsScope(own.scope, 'admin')) return 'keys: it lacks the scope admin'
  if (wanted.scope === 'operator') return 'the scope operator'
  return own.scope === 'operator' ? null : beyond(own, wanted)
}

/**
 * The first right of `wanted` that `own` lacks, in words; null if it lacks none. Rights count together: a key for calls from anywhere that gets a
 * greater scope has that scope from anywhere.
 */
export function beyond(own: KeyRights, wanted: KeyRights): string | null {
  if (wanted.accountId !== own.accountId || wanted.environment !== own.environment)
    return 'keys of another account or environment'
  if (!holdsScope(own.scope, wanted.scope)) return `the scope ${wanted.scope}`
  if (planNames.indexOf(wanted.plan) > planNames.indexOf(own.plan)) return `the plan ${wanted.plan}`
  if (wanted.webhookAdmin && !own.webhookAdmin) return 'the right to change webhook endpoints'
  if (!endsBy(wanted.expiresAt, own.expiresAt)) return `an end later than ${own.expiresAt}`
  if (!isCovered(wanted.allowedIps, own.allowedIps)) return 'calls from addresses that it may not call from'
  return null
}

function endsBy(end: string | null, latest: string | null): boolean {
  return latest === null || (end !== null && Date.parse(end) <= Date.parse(latest))
}

function isCovered(wanted: readonly string[], own: readonly string[]): boolean {
  if (own.length === 0) return true
  return wanted.length > 0 && wanted.every((range) => own.some((wider) => isRangeWithin(range, wider)))
}
