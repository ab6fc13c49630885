/**
 * Distinguishes a bad record from an outage. If one record fails among many that succeed, the record is at fault. If most
 * records fail, the consumer is at fault, and dead-lettering them would turn one defect into many failed screenings.
 */
export interface FailureWindow {
  succeeded(): void
  /** Counts one more failed record and returns whether it may be dead-lettered; if not, the consumer must pause. */
  mayGiveUp(): boolean
}

/** Number of outcomes in the window. */
export const RECENT_OUTCOMES = 20
/** Fewer failures than this never count as an outage: a quiet consumer meets bad records one by one. */
export const TOLERATED_FAILURES = 10

export function createFailureWindow(): FailureWindow {
  /** A ring buffer: whether each of the last outcomes was a failure. */
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
      // A refused record is delivered repeatedly: if each delivery counted, the window would stay closed for good.
      if (failures >= TOLERATED_FAILURES && failures * 2 >= failed.length) return false
      note(true)
      return true
    },
  }
}
