/**
 * Distinguishes a bad record from a bad time. One record that fails among many that succeed is at fault itself. Where most
 * records fail, the consumer is at fault, and dead-lettering them would turn one defect into many failed screenings.
 */
export interface FailureWindow {
  succeeded(): void
  /** Counts one more failed record and returns whether it may be dead-lettered; if not, the consumer must pause. */
  mayGiveUp(): boolean
}

/** Outcomes that the window holds. */
export const RECENT_OUTCOMES = 20
/** Fewer failures than this are never an outage: a quiet consumer meets bad records one by one. */
export const TOLERATED_FAILURES = 10

export function createFailureWindow(): FailureWindow {
  /** A ring: whether each of the last outcomes was a failure. */
  const failed: boolean[] = []
  let next = 0
  let failures = 0

  function note(isFailure: boolean): void {
    if (failed[next] === true) failures -= 1
    if (isFailure) failures += 1
    failed[next] = isFailure
    next = (next + 1) % RECENT_OUTCOMES
  }

  return {
    succeeded: () => note(false),
    mayGiveUp() {
      // A refused record comes again and again: counting each visit would keep the window closed for good.
      if (failures >= TOLERATED_FAILURES && failures * 2 >= failed.length) return false
      note(true)
      return true
    },
  }
}
