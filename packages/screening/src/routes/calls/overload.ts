/** Decides when this instance rejects a screen because the waiting ones would make it late. */

/** Screens waited for at once; more are refused before anything is appended. */
export const MAX_PENDING = 1_024

export interface Load {
  readonly pending: number
  readonly oldestAgeMs: number
  readonly deadlineMs: number
}

/**
 * Once the oldest screen has waited for this share of the deadline, a new one would hardly be answered in time. It leaves room for the
 * seconds in which a dead broker does not count as dead yet (docs/runbooks/install.md).
 */
export const WAIT_SHARE = 0.7

export function isOverloaded(load: Load): boolean {
  return load.pending >= MAX_PENDING || load.oldestAgeMs > load.deadlineMs * WAIT_SHARE
}
