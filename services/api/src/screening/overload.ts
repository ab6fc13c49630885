/** Decides when this instance rejects a screen because the waiting ones would make it late. */

/** Screens waited for at once; more are refused before anything is appended. */
export const MAX_PENDING = 1_024

export interface Load {
  readonly pending: number
  readonly oldestAgeMs: number
  readonly deadlineMs: number
}

/** Where the oldest screen has waited for half the deadline, a new one would hardly be answered in time. */
export function isOverloaded(load: Load): boolean {
  return load.pending >= MAX_PENDING || load.oldestAgeMs > load.deadlineMs / 2
}
