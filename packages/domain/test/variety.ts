/** Checks whether generated cases show what they are meant to show. */

/** Standard deviations: chance puts a count this far below its share once in tens of thousands of runs. */
const DEVIATIONS = 4

/** Something that occurs in at least one of `oneIn` cases occurs more often than this in so many cases. Few cases prove nothing. */
export function fewestShown(cases: number, oneIn: number): number {
  const mean = cases / oneIn
  return mean - DEVIATIONS * Math.sqrt(mean)
}
