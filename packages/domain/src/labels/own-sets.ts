/**
 * Which sets of an authority designate, and which addresses lose a designation when the sets change. An import uses both before it
 * publishes; a decision uses the scorer's own rule.
 */
import { isComplete, isVersionOf, type LabelSetFacts } from '../scorer/index.js'
import { setDay, type LabelSetName } from './label-set.js'

/** The fields of a set in force that these rules read. */
export interface SetInForce extends LabelSetName, Pick<LabelSetFacts, 'labelSetSeq' | 'versionOf' | 'rows'> {
  /** The origin whose own list the set is; empty for every other set. */
  readonly authorityOrigin: string
  /** The set is the authority's complete list, not a part of it. */
  readonly whole: boolean
  readonly asOf: string | null
  /** Labels that the publication states, and those of them that are stored. */
  readonly total: number
  readonly visible: number
}

/** A current sanctions label of an authority's origin: from one of its own sets, or a restatement. */
export interface OriginLabel extends LabelSetName {
  /** The key that look-ups compare; it names the address. */
  readonly lookupKey: string
}

/** The whole sets of an authority that have labels. A withdrawn set is no list. */
function wholeSets<S extends SetInForce>(sets: readonly S[], origin: string): readonly S[] {
  return sets.filter(({ authorityOrigin, whole, total }) => authorityOrigin === origin && whole && total > 0)
}

/**
 * The latest version of the same whole list that makes this set historical; undefined if there is none. A list without some of its labels
 * makes no set historical, because it cannot show which labels were removed.
 */
export function laterWholeSet<S extends SetInForce>(sets: readonly S[], set: SetInForce): S | undefined {
  const { authorityOrigin, whole, asOf } = set
  const day = setDay(asOf)
  if (!whole || authorityOrigin === '' || day === null) return undefined
  return wholeSets(sets, authorityOrigin)
    .filter((other) => isComplete(other) && isVersionOf(other, set) && (setDay(other.asOf) ?? '') > day)
    .reduce<S | undefined>((a, b) => (a !== undefined && a.asOf! >= b.asOf! ? a : b), undefined)
}

/** Whether labels of the authority's origin hold under these sets. */
function holdsUnder(sets: readonly SetInForce[], origin: string): (label: OriginLabel) => boolean {
  const own = sets.filter(({ authorityOrigin, total }) => authorityOrigin === origin && total > 0)
  const designating = new Set(
    own.filter((set) => laterWholeSet(own, set) === undefined).map((set) => nameOf(set)),
  )
  // A restatement never outlives a whole list, unless nobody knows whom a part of the list designates.
  const restatementsHold = !wholeSets(sets, origin).some(isComplete)
  return (label) => designating.has(nameOf(label)) || restatementsHold
}

const nameOf = ({ source, dataset }: LabelSetName): string => JSON.stringify([source, dataset])

/**
 * Counts the addresses whose designation by one authority ends for any reason: a retired row, a replaced set, a list that becomes
 * historical, or a restatement that a whole list ends. An address that another set still designates loses nothing.
 */
export function lostDesignations<L extends OriginLabel>(
  origin: string,
  before: { readonly sets: readonly SetInForce[]; readonly labels: Iterable<L> },
  after: { readonly sets: readonly SetInForce[]; readonly labels: Iterable<OriginLabel> },
): { readonly designated: number; readonly lost: readonly L[] } {
  const heldBefore = new Map<string, L>()
  const holds = holdsUnder(before.sets, origin)
  for (const label of before.labels) if (holds(label)) heldBefore.set(label.lookupKey, label)
  const designated = heldBefore.size
  const stillHolds = holdsUnder(after.sets, origin)
  for (const label of after.labels) if (stillHolds(label)) heldBefore.delete(label.lookupKey)
  return { designated, lost: [...heldBefore.values()] }
}
