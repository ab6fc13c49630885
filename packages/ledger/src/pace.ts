/** Long work beside others: between two steps it asks whether to rest. */
import type { Steps } from '@cupel/domain'

/**
 * Gives what to wait for so that others may go first, or null to go on at once. What it throws, or what the wait rejects
 * with, ends the work.
 */
export type Pace = () => Promise<void> | null

export const withoutRest: Pace = () => null

/** Rests where it is time to. */
export async function rested(pace: Pace): Promise<void> {
  const rest = pace()
  if (rest !== null) await rest
}

/** Runs the steps at this pace. */
export async function paced<Result>(steps: Steps<Result>, pace: Pace): Promise<Result> {
  for (;;) {
    // Most of the time there is nothing to wait for, and waiting for nothing costs a turn.
    const rest = pace()
    if (rest !== null) await rest
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
