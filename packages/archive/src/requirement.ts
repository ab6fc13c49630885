/** The records of an archive that need a MAC, and the reports that need a signature, as the installation required it of its log. */
import { placeOf, type Position } from '@cupel/event-log'
import type { Required, RequiredRange } from './format/manifest.js'

export interface ArchivedRequirement {
  isMacDue(position: Position): boolean
  isSignatureDue(position: Position): boolean
}

export function requirementOf({ macs, signatures }: Required): ArchivedRequirement {
  const [ofMacs, ofSignatures] = [byPlace(macs), byPlace(signatures)]
  const areMacsDue = macs.some(({ until }) => until === null)
  return {
    isMacDue(position) {
      const ranges = ofMacs.get(placeOf(position))
      // The topic was made after MACs were required.
      return ranges === undefined ? areMacsDue : isWithin(ranges, position)
    },
    isSignatureDue: (position) => isWithin(ofSignatures.get(placeOf(position)) ?? [], position),
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
