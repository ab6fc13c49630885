/** What the declared ranges of a chain say of every address of it. While it stays the same, further heights by themselves change no answer. */
import { mergeRanges, neededKinds, type DeclaredRange } from '@cupel/domain'

export interface AgeLimit {
  /** Time of the question, in seconds since 1970. */
  readonly nowS: number
  readonly maxAgeHours: number
}

const HOUR_S = 3_600

/**
 * A text that is equal for two states of a chain if the history of an address is whole in both or in neither, as far as that depends on ranges.
 * The end of the last range of a kind may grow: only that it is recent counts.
 */
export function rangeStanding(
  chain: string,
  ranges: readonly DeclaredRange[],
  { nowS, maxAgeHours }: AgeLimit,
): string {
  const merged = mergeRanges(ranges)
  const standing = neededKinds(chain).map((kind) => {
    const own = merged.filter((range) => range.kind === kind)
    return own.map(({ fromHeight, toHeight, toAtS, hasUnreadableRows }, index) => [
      fromHeight,
      index === own.length - 1 ? 'last' : toHeight,
      hasUnreadableRows === true,
      toAtS === null ? null : toAtS > nowS ? 'future' : toAtS >= nowS - maxAgeHours * HOUR_S,
    ])
  })
  const kinds = [...new Set(ranges.map(({ kind }) => kind))].sort()
  // These are faults of a history whatever the kind of the range, also one that the chain does not need.
  const endsInFuture = ranges.some(({ toAtS }) => toAtS !== null && toAtS > nowS)
  const hasUnreadable = ranges.some(({ hasUnreadableRows }) => hasUnreadableRows === true)
  return JSON.stringify([standing, kinds, endsInFuture, hasUnreadable])
}
