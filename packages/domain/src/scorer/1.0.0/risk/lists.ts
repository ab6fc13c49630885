/**
 * Judges the lists themselves: which of them are in force, how old each is, and whether its labels are all here. A list never
 * changes a score by its age. It only prevents green.
 */
import type { LabelSetFacts } from './label-facts.js'
import type { CompiledPolicy } from './policy.js'

const HOUR_MS = 3_600_000
/** Clocks and time zones differ. A date further ahead of the report is no date that a list can have. */
const MAX_AHEAD_MS = 24 * HOUR_MS

/**
 * `missing` never came. `withdrawn` has no labels any more. `superseded`: the authority has a newer version of it. `conflict` was
 * computed from an older state. `incomplete` lacks labels, or has rows that nobody can read. `old` exceeds the age that the policy allows.
 */
export type ListStatus =
  'current' | 'old' | 'incomplete' | 'conflict' | 'superseded' | 'withdrawn' | 'missing'

/** A set with what it is worth at one time under one policy. */
export type JudgedSet = LabelSetFacts & {
  readonly status: ListStatus
  /** Nothing is green unless the set is fresh. */
  readonly isRequired: boolean
  /** Young enough under the policy, and computed from the newest state. */
  readonly isFresh: boolean
}

export interface ListsJudgement {
  readonly labelSets: readonly JudgedSet[]
  /** A required list is too old or in conflict, or it was here and is gone. */
  readonly isStale: boolean
  /** An expected list never came. */
  readonly hasMissing: boolean
  /** The publication of some list states more labels, or fewer, than are here, or has rows that nobody can read. */
  readonly isIncomplete: boolean
  /** The whole list of at least one authority is in force, and of each one that the policy always requires. */
  readonly hasSanctionsList: boolean
  /** The earliest date among the whole lists of authorities in force; null without one, and where one has no date. */
  readonly asOf: string | null
}

/** An expected list that never arrived: it has no publication and no labels. */
export const isMissing = ({ publishedAt }: Pick<LabelSetFacts, 'publishedAt'>): boolean => publishedAt === ''

/** A published set that still has labels, or never had any. A withdrawn one is no list. */
const isPublished = (set: LabelSetFacts): boolean => !isMissing(set) && (set.total > 0 || namesNoAddress(set))

/**
 * Whether the authority itself states this list now, and names no address on it. A file without labels that a person imports
 * withdraws a set instead. Such a list is in force, but it ends nothing, and it is not the list without which nothing is green: a
 * layout that hides its addresses looks the same.
 */
const namesNoAddress = ({
  whole,
  authorityOrigin,
  total,
  refreshConfigured,
  confirmedAt,
}: LabelSetFacts): boolean =>
  whole && authorityOrigin !== '' && total === 0 && refreshConfigured && confirmedAt !== null

/**
 * Whether a set says what its source says now. A whole list that is dated before a later version of itself is history, under any
 * name. A part of a list is never superseded and supersedes nothing.
 */
export function isInForce(set: LabelSetFacts, labelSets: readonly LabelSetFacts[]): boolean {
  return isPublished(set) && !labelSets.some((other) => supersedes(other, set))
}

/**
 * Whether every label that the publication of the set states is here, and an operator accepted every row of the document that could not
 * be read: somebody may be designated by it.
 */
export const isComplete = ({ visible, total, rows }: Pick<LabelSetFacts, 'visible' | 'total' | 'rows'>): boolean =>
  visible === total && rows.unreadable === rows.accepted

/** Whether a list can show who is no longer on it: it has labels, and all of them are here. */
export const canEnd = (set: LabelSetFacts): boolean => set.whole && set.total > 0 && isComplete(set)

/** Whether the set is all of an authority's list, as the authority states it now. */
export const isWholeListInForce = (set: LabelSetFacts, labelSets: readonly LabelSetFacts[]): boolean =>
  set.whole && set.authorityOrigin !== '' && isInForce(set, labelSets)

export function supersedes(newer: LabelSetFacts, older: LabelSetFacts): boolean {
  return (
    canEnd(newer) &&
    older.whole &&
    isVersionOf(newer, older) &&
    older.authorityOrigin !== '' &&
    newer.authorityOrigin === older.authorityOrigin &&
    isPublished(newer) &&
    newer.asOf !== null &&
    older.asOf !== null &&
    dayOf(newer.asOf) > dayOf(older.asOf)
  )
}

type Version = Pick<LabelSetFacts, 'source' | 'dataset' | 'labelSetSeq' | 'versionOf'>

/**
 * An authority may have several lists, such as OFAC's SDN list and its list of other parties; then both are in force. The set that was
 * published last knows whether the two are one list: the import compared the names in the documents, or else the addresses.
 */
export const isVersionOf = (one: Version, other: Version): boolean =>
  states(one, other) || states(other, one)

const states = (later: Version, earlier: Version): boolean =>
  later.labelSetSeq >= earlier.labelSetSeq &&
  later.versionOf.includes(`${earlier.source}/${earlier.dataset}`)

/** Lists are dated by day, some with a time. */
const dayOf = (date: string): string => date.slice(0, 'YYYY-MM-DD'.length)

interface RememberedLists extends ListsJudgement {
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}

/** A batch is decided from one array of sets, at one time, under one policy, so the last result is kept. */
const remembered = new WeakMap<readonly LabelSetFacts[], RememberedLists>()

/** Judges every set at `generatedAt`. UTC, RFC 3339. */
export function judgeLists(
  labelSets: readonly LabelSetFacts[],
  generatedAt: string,
  policy: CompiledPolicy,
): ListsJudgement {
  const last = remembered.get(labelSets)
  if (last !== undefined && last.generatedAt === generatedAt && last.policy === policy) return last
  const judgement = judgeAll(labelSets, generatedAt, policy)
  remembered.set(labelSets, { ...judgement, generatedAt, policy })
  return judgement
}

function judgeAll(
  labelSets: readonly LabelSetFacts[],
  generatedAt: string,
  policy: CompiledPolicy,
): ListsJudgement {
  const { required } = policy.document.freshness
  const judged = labelSets.map((set) => judgeSet(set, labelSets, generatedAt, policy))
  const wholeLists = labelSets.filter((set) => isWholeListInForce(set, labelSets))
  // A whole list that was here and was withdrawn is no longer fresh, as one that nobody refreshes.
  const wasHere = (origin: string): boolean =>
    labelSets.some((set) => set.whole && !isMissing(set) && set.authorityOrigin === origin)
  const isGone = required.some(
    ({ origin }) =>
      wasHere(origin) && !wholeLists.some(({ authorityOrigin }) => authorityOrigin === origin),
  )
  const listing = new Set(wholeLists.filter(({ total }) => total > 0).map((set) => set.authorityOrigin))
  return {
    labelSets: judged,
    isStale: isGone || judged.some(({ isRequired, isFresh }) => isRequired && !isFresh),
    hasMissing: judged.some(({ status }) => status === 'missing'),
    isIncomplete: labelSets.some((set) => !isMissing(set) && !isComplete(set)),
    hasSanctionsList:
      listing.size > 0 && required.every(({ origin, when }) => when !== 'always' || listing.has(origin)),
    asOf: earliest(wholeLists.map((set) => dateOf(set, generatedAt))),
  }
}

function judgeSet(
  set: LabelSetFacts,
  labelSets: readonly LabelSetFacts[],
  generatedAt: string,
  policy: CompiledPolicy,
): JudgedSet {
  const { required, max_age_hours, max_age_hours_by_origin } = policy.document.freshness
  const inForce = isInForce(set, labelSets)
  const maxAgeMs = (max_age_hours_by_origin[set.authorityOrigin] ?? max_age_hours) * HOUR_MS
  const date = dateOf(set, generatedAt)
  const isOld = date === null || Date.parse(generatedAt) - Date.parse(date) > maxAgeMs
  return {
    ...set,
    isRequired:
      inForce && (set.refreshConfigured || required.some(({ origin }) => origin === set.authorityOrigin)),
    isFresh: !isOld && !set.staleBase,
    status: isMissing(set)
      ? 'missing'
      : !isPublished(set)
        ? 'withdrawn'
        : !inForce
          ? 'superseded'
          : set.staleBase
            ? 'conflict'
            : !isComplete(set)
              ? 'incomplete'
              : isOld
                ? 'old'
                : 'current',
  }
}

/**
 * The date that a list is as old as: its own, or the last time a refresh found it unchanged at the authority's own address. An
 * import by hand dates nothing. Null where neither is known or can be true.
 */
function dateOf({ asOf, confirmedAt }: LabelSetFacts, generatedAt: string): string | null {
  const latestMs = Date.parse(generatedAt) + MAX_AHEAD_MS
  const dates = [asOf, confirmedAt].filter((date) => date !== null && Date.parse(date) <= latestMs)
  return dates.reduce((a, b) => (a !== null && Date.parse(a) >= Date.parse(b!) ? a : b), null)
}

/** The earliest of the dates; null where there is none, and where one of them is not known. */
function earliest(dates: readonly (string | null)[]): string | null {
  if (dates.includes(null)) return null
  return (dates as readonly string[]).reduce<string | null>(
    (a, b) => (a !== null && Date.parse(a) <= Date.parse(b) ? a : b),
    null,
  )
}
