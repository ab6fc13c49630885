/**
 * Work in steps: whoever runs it may rest at each of them, so that a long reckoning does not hold up everything else, or
 * give it up. What comes out does not depend on where it rested.
 */
export type Steps<Result> = Generator<undefined, Result>

/** Items of a loop between two steps: well below a millisecond of work, and so many that resting costs nothing beside them. */
export const STEP_ITEMS = 256

/** Runs the work to its end without a rest. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
