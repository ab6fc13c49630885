/**
 * Tells a bad record from a bad time: a record that cannot be decided among many that can is the record's fault, while
 * most of them failing is ours, and giving those up would turn one defect into a pile of failed screenings.
 */

export interface FailureWindow {
  succeeded(): void
  /** Counts one more record that could not be decided and says whether it may be given up; if not, pause instead. */
  mayGiveUp(): boolean
  /** Whether the last failure was refused and nothing has succeeded since. */
  paused(): boolean
}

/** Outcomes looked back at. */
export const RECENT_OUTCOMES = 20
/** Fewer failures than this never mean an outage: a quiet service meets its poison one by one. */
export const TOLERATED_FAILURES = 10

export function createFailureWindow(): FailureWindow {
  let outcomes: boolean[] = []
  let isPaused = false
  const note = (failed: boolean): void => {
    outcomes.push(failed)
    if (outcomes.length > RECENT_OUTCOMES) outcomes = outcomes.slice(-RECENT_OUTCOMES)
  }
  return {
    succeeded() {
      isPaused = false
      note(false)
    },
    mayGiveUp() {
      const failures = outcomes.filter((failed) => failed).length
      // A refused record comes again and again: counting each visit would keep the window closed for good.
      isPaused = failures >= TOLERATED_FAILURES && failures * 2 >= outcomes.length
      if (!isPaused) note(true)
      return !isPaused
    },
    paused: () => isPaused,
  }
}
