/** How far the log may be cut: decided from how far everybody who needs its records has read them. */
import { placeOf, type Place } from '@cupel/event-log'

export interface PlaceFacts extends Place {
  /** The oldest offset that the log has. */
  readonly start: number
  /** The first record of a report that stays; null if the partition has none. */
  readonly firstKept: number | null
  /** The last record of a report that may leave; null if it has none. */
  readonly lastRetired: number | null
  /** Who has read so far, as a sentence names them, and the offset that each reads next. */
  readonly readers: readonly { readonly name: string; readonly next: number }[]
}

export interface Cut extends Place {
  /** The first offset that stays. */
  readonly before: number
  /** Offsets that go. */
  readonly records: number
}

/** Everything before the first report that stays; a place with nothing to cut is left out. Every reader must be past the cut. */
export function planCuts(places: readonly PlaceFacts[]): {
  readonly cuts: readonly Cut[]
  readonly refusals: readonly string[]
} {
  const refusals: string[] = []
  const cuts = places.flatMap(({ topic, partition, start, firstKept, lastRetired, readers }): Cut[] => {
    if (lastRetired === null) return []
    const before = Math.min(firstKept ?? Infinity, lastRetired + 1)
    if (before <= start) return []
    const place = placeOf({ topic, partition })
    for (const { name, next } of readers)
      if (next < before) refusals.push(`${place} may be cut before ${before}, and ${name} ends at ${next}.`)
    return [{ topic, partition, before, records: before - start }]
  })
  return { cuts, refusals }
}
