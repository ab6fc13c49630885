/** Runs long work in steps and pauses between steps, so that other work can run. */
import type { Steps } from '@cupel/domain'

/**
 * Returns a promise to wait for before the next step, or null to continue at once. If it throws or the promise rejects, the
 * work ends with that error.
 */
export type Pace = () => Promise<void> | null

export const withoutRest: Pace = () => null

/** Pauses if a pause is due. */
export async function rested(pace: Pace): Promise<void> {
  const rest = pace()
  if (rest !== null) await rest
}

/** Runs the steps and pauses between them. */
export async function paced<Result>(steps: Steps<Result>, pace: Pace): Promise<Result> {
  for (;;) {
    // Usually there is no pause, and awaiting null would cost a turn of the event loop.
    const rest = pace()
    if (rest !== null) await rest
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
