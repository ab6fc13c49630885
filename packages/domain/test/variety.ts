/** Whether generated cases show what they are meant to show. */

/** Standard deviations: fewer than so much below its share chance makes once in tens of thousands of runs. */
const DEVIATIONS = 4

/** What shows in one of `oneIn` cases, or in more of them, shows more often than this in so many cases. Few cases tell nothing. */
export function fewestShown(cases: number, oneIn: number): number {
  const mean = cases / oneIn
  return mean - DEVIATIONS * Math.sqrt(mean)
}
