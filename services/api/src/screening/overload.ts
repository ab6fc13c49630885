/** When this instance should not take another screen: what waits already would make it late. */

/** Screens waited for at once; more are refused before anything is appended. */
export const MAX_PENDING = 1_024

export interface Load {
  readonly pending: number
  readonly oldestAgeMs: number
  readonly deadlineMs: number
}

/** Past half the deadline the queue in front of the scorers is longer than it should be: adding to it helps nobody. */
export function isOverloaded(load: Load): boolean {
  return load.pending >= MAX_PENDING || load.oldestAgeMs > load.deadlineMs / 2
}
