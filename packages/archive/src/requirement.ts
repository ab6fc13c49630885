/** The records of an archive that need a MAC, as the installation required it of its log. */
import { placeOf, type Position } from '@cupel/event-log'
import type { Required, RequiredRange } from './format/manifest.js'

/** Whether a record at a position needs a MAC. */
export function requirementOf({ macs }: Required): (position: Position) => boolean {
  const places = byPlace(macs)
  const areMacsDue = macs.some(({ until }) => until === null)
  return (position) => {
    const ranges = places.get(placeOf(position))
    // The topic was made after MACs were required.
    return ranges === undefined ? areMacsDue : isWithin(ranges, position)
  }
}

function byPlace(ranges: readonly RequiredRange[]): ReadonlyMap<string, readonly RequiredRange[]> {
  const places = new Map<string, RequiredRange[]>()
  for (const range of ranges) {
    const place = placeOf(range)
    places.set(place, [...(places.get(place) ?? []), range])
  }
  return places
}

const isWithin = (ranges: readonly RequiredRange[], { offset }: Position): boolean =>
  ranges.some(({ from, until }) => from <= offset && offset < (until ?? Infinity))
