/** The result of one level of proof for one report. */
import { differences } from '@cupel/domain'

export type RecomputeStatus =
  | 'same'
  /** The paths name the differences. */
  | 'differs'
  /** It could not be decided again: an unknown scorer, or a record that is not an event. Never counts as the same. */
  | 'failed'
  /** The data it was derived from is gone; the reason names it. */
  | 'not-derivable'
  /** The record contains no data for this level. */
  | 'nothing-recorded'

export interface Verdict {
  readonly status: RecomputeStatus
  readonly paths: readonly string[]
  /** A sentence; null if the paths are sufficient. */
  readonly reason: string | null
}

/** Maximum number of paths for one report: an exchanged label differs in each of its fields. */
const MAX_PATHS = 50

export const nothingRecorded: Verdict = { status: 'nothing-recorded', paths: [], reason: null }

export function compared(recorded: unknown, again: unknown): Verdict {
  const paths = differences(recorded, again)
  if (paths.length === 0) return { status: 'same', paths, reason: null }
  return { status: 'differs', paths: paths.slice(0, MAX_PATHS), reason: null }
}

export function failed(error: unknown): Verdict {
  return { status: 'failed', paths: [], reason: error instanceof Error ? error.message : String(error) }
}
