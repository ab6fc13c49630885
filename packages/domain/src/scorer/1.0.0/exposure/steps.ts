/**
 * Work in steps: its runner may pause between two steps, so that a long computation does not block other work, or stop it. The
 * result does not depend on the pauses.
 */
export type Steps<Result> = Generator<undefined, Result>

/** Items of a loop between two steps: well below a millisecond of work, and enough that pauses cost little. */
export const STEP_ITEMS = 256

/** Runs the work to its end without a pause. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
