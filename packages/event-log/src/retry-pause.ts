/** The pause after a failure: longer after each further failure, but never long, so that work resumes soon after the fault ends. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

export const pauseMs = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS)
