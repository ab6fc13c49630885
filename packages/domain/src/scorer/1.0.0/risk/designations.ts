/**
 * When authorities designated an address: every interval that is known. A designation that ended says nothing of the address now, but
 * what was paid while it was in force remains evidence.
 */
import type { LabelFacts, LabelSetFacts } from './label-facts.js'
import { supersedes } from './lists.js'

/** Milliseconds since 1970. */
export interface DesignationInterval {
  /** Null where the authority does not date it: it may be in force since ever. */
  readonly fromMs: number | null
  /** Null while it is in force. */
  readonly toMs: number | null
}

export interface Designation extends DesignationInterval {
  /** The label that states it. */
  readonly labelId: string
}

const DAY_MS = 86_400_000
const DATE_LENGTH = 'YYYY-MM-DD'.length

/**
 * The designations of one address, live and ended ones. A label without a date is dated by the others of its authority that
 * it overlaps: a revision that adds the date is about the same interval.
 */
export function designationsOf(
  labels: readonly LabelFacts[],
  labelSets: readonly LabelSetFacts[],
): readonly Designation[] {
  const stated = labels
    .map((label) => ({ label, set: labelSets.find((set) => isOfSet(label, set)) }))
    .filter(({ label, set }) => isDesignating(label, set))
    .map(({ label, set }) => ({
      labelId: label.labelId,
      origin: label.origin,
      fromMs: timeOf(label.validFrom),
      toMs: earliest([endOf(label.validTo), ...endsOfSet(set, labelSets)]),
    }))
  return stated.map(({ labelId, origin, fromMs, toMs }) => {
    const overlapping = stated.filter(
      (other) => other.origin === origin && other.fromMs !== null && other.fromMs <= (toMs ?? Infinity),
    )
    return { labelId, fromMs: fromMs ?? earliest(overlapping.map((other) => other.fromMs)), toMs }
  })
}

/** The beginning of the first of them; null where one of them may be in force since ever. */
export const firstDesignatedMs = (designations: readonly Pick<DesignationInterval, 'fromMs'>[]): number | null =>
  designations.some(({ fromMs }) => fromMs === null) ? null : earliest(designations.map(({ fromMs }) => fromMs))

const isOfSet = (label: LabelFacts, set: LabelSetFacts): boolean =>
  set.source === label.source && set.dataset === label.dataset

/** A set of which only older versions were ever imported is not among the sets, so the kind of the label tells as well. */
const isDesignating = ({ category, kind, origin }: LabelFacts, set: LabelSetFacts | undefined): boolean =>
  category === 'sanctions' &&
  (kind === 'designation' || (set !== undefined && set.authorityOrigin !== '' && set.authorityOrigin === origin))

/** A later version of the list, under whatever name, shows that what only the older one states has ended. */
const endsOfSet = (
  set: LabelSetFacts | undefined,
  labelSets: readonly LabelSetFacts[],
): readonly (number | null)[] =>
  set === undefined
    ? []
    : labelSets.filter((other) => supersedes(other, set)).map(({ asOf }) => endOf(asOf))

/** What happened on the day of the end may have happened before it. */
const endOf = (date: string | null): number | null => {
  const ms = timeOf(date)
  return ms !== null && date!.length === DATE_LENGTH ? ms + DAY_MS : ms
}

/** Null without a date, and for a text that is not a date. */
export const timeOf = (date: string | null): number | null => {
  const ms = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(ms) ? null : ms
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null)
  return known.length === 0 ? null : Math.min(...known)
}
