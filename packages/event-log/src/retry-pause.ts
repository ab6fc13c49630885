/** How long what failed is left alone: longer after each further failure, and never for long, so that it works again soon after it can. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

export const pauseMs = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS)
