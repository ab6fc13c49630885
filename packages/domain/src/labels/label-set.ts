/**
 * The changes of a new version of a label set. A set holds all statements of one source in one dataset. Its labels become visible all at
 * once, nothing is deleted, and labels missing from the new version are retired.
 */

import type { LabelSanction } from '@cupel/contracts'

/** A set's name: importing one set never retires another's labels, even if both come from one source. */
export interface LabelSetName {
  readonly source: string
  readonly dataset: string
}

/** A label as a source states it, after its address was parsed and its origin classified. */
export interface StatedLabel {
  readonly chain: string
  /** As the source writes it. */
  readonly address: string
  readonly canonicalAddress: string
  readonly lookupKey: string
  readonly category: string
  readonly entity: string
  readonly role: string
  readonly origin: string
  readonly kind: string
  /** Parts per million. */
  readonly confidencePpm: number
  readonly sourceUrl: string
  /** When the source last stated the label. It is never the date from which the fact holds. */
  readonly observedAt: string | null
  /** Only from a source that dates the designation itself. */
  readonly validFrom: string | null
  readonly validTo: string | null
  /** A finer kind of the category; empty if the source states none. */
  readonly subcategory: string
  /** The authority's data on the listed party; null if the label is not a listing. */
  readonly sanction: LabelSanction | null
}

/** Identifies the fact that a label states. A label that differs only in its observation date is the same, unchanged label. */
export function labelIdentity(
  set: LabelSetName,
  label: Pick<StatedLabel, 'chain' | 'canonicalAddress' | 'category' | 'entity'>,
): string {
  const { chain, canonicalAddress, category, entity } = label
  return JSON.stringify([set.source, set.dataset, chain, canonicalAddress, category, entity])
}

export interface SetDifference<Published extends StatedLabel, Next extends StatedLabel> {
  /** Stated now and not live before. This includes relisting, which opens a new interval. */
  readonly asserted: readonly Next[]
  /** The same fact with other details (see saysTheSame): the old label ends, the new one begins. */
  readonly revised: readonly { readonly before: Published; readonly after: Next }[]
  readonly unchanged: readonly Published[]
  /** Live before and no longer stated. */
  readonly retired: readonly Published[]
  /** Rows that state a fact of an earlier row in the same file; the most confident one is kept. */
  readonly repeated: number
}

/**
 * Compares the live labels of a set with its new version. If two labels of the set state one fact differently, because two imports did not
 * see each other, both end and one begins.
 */
export function diffSet<Published extends StatedLabel, Next extends StatedLabel>(
  set: LabelSetName,
  previous: Iterable<Published>,
  next: Iterable<Next>,
): SetDifference<Published, Next> {
  const remaining = new Map<string, Published>()
  const contradicted = new Set<string>()
  for (const label of previous) {
    const identity = labelIdentity(set, label)
    const other = remaining.get(identity)
    if (other !== undefined && !saysTheSame(other, label)) contradicted.add(identity)
    remaining.set(identity, label)
  }
  const { distinct, repeated } = distinctLabels(set, next)
  const asserted: Next[] = []
  const revised: { before: Published; after: Next }[] = []
  const unchanged: Published[] = []
  for (const [identity, after] of distinct) {
    const before = remaining.get(identity)
    remaining.delete(identity)
    if (before === undefined) asserted.push(after)
    else if (saysTheSame(before, after) && !contradicted.has(identity)) unchanged.push(before)
    else revised.push({ before, after })
  }
  return { asserted, revised, unchanged, retired: [...remaining.values()], repeated }
}

function distinctLabels<Next extends StatedLabel>(
  set: LabelSetName,
  labels: Iterable<Next>,
): { distinct: ReadonlyMap<string, Next>; repeated: number } {
  const distinct = new Map<string, Next>()
  let repeated = 0
  for (const label of labels) {
    const identity = labelIdentity(set, label)
    const known = distinct.get(identity)
    if (known !== undefined) repeated += 1
    if (known === undefined || label.confidencePpm > known.confidencePpm) distinct.set(identity, label)
  }
  return { distinct, repeated }
}

/** Compares everything except the observation date: a changed date of designation, programme or alias is another statement. */
function saysTheSame(before: StatedLabel, after: StatedLabel): boolean {
  return (
    before.role === after.role &&
    before.origin === after.origin &&
    before.kind === after.kind &&
    before.confidencePpm === after.confidencePpm &&
    before.sourceUrl === after.sourceUrl &&
    before.validFrom === after.validFrom &&
    before.validTo === after.validTo &&
    before.subcategory === after.subcategory &&
    saysOfParty(before.sanction) === saysOfParty(after.sanction)
  )
}

/** A list may give programmes and aliases in any order. */
function saysOfParty(sanction: LabelSanction | null): string {
  if (sanction === null) return ''
  const { list, programmes, entityId, aliases, designatedOn } = sanction
  return JSON.stringify([list, [...programmes].sort(), entityId, [...aliases].sort(), designatedOn])
}

/** Removals up to this many never need a confirmation. */
export const UNGUARDED_REMOVALS = 5
/** Removals up to one in this many of a set never need a confirmation: 2 %. */
export const UNGUARDED_REMOVAL_DIVISOR = 50

/** A list of so few designations loses none of them without a confirmation. */
export const SHORT_LIST = 10
/** Designations up to one in this many never need a confirmation, if their list is not short: 20 %. */
export const UNGUARDED_DESIGNATION_DIVISOR = 5

export type RemovalGuard =
  | { readonly ok: true }
  | { readonly ok: false; readonly removals: number; readonly limit: number }

/**
 * Whether a set may lose this many labels. A truncated download must not clear a list. A real delisting can be large, so an operator may
 * accept exactly the reported number.
 */
export function guardRemovals({
  liveBefore,
  removals,
  accepted,
  designates = false,
}: {
  readonly liveBefore: number
  readonly removals: number
  /** The number that the operator accepts, with `--accept-removals`; null if none was given. */
  readonly accepted: number | null
  /** The numbers are addresses with a designation, or with a sanction of an own list. */
  readonly designates?: boolean
}): RemovalGuard {
  const few = Math.max(UNGUARDED_REMOVALS, Math.floor(liveBefore / UNGUARDED_REMOVAL_DIVISOR))
  const share = liveBefore <= SHORT_LIST ? 0 : Math.floor(liveBefore / UNGUARDED_DESIGNATION_DIVISOR)
  const limit = designates ? Math.min(few, share) : few
  return removals <= limit || removals === accepted ? { ok: true } : { ok: false, removals, limit }
}

/** Whether a set's date lies before the published one's. Dates of different precision are compared up to the coarser one. */
export function isOlderThanPublished(asOf: string | null, publishedAsOf: string | null): boolean {
  if (asOf === null || publishedAsOf === null) return false
  const length = Math.min(asOf.length, publishedAsOf.length)
  return asOf.slice(0, length) < publishedAsOf.slice(0, length)
}

/** The day of a list's date, to compare lists of an authority: some state a time too. Null for an undated list. */
export function setDay(asOf: string | null): string | null {
  return asOf?.slice(0, 'YYYY-MM-DD'.length) ?? null
}

/**
 * The labels that an older version of a set adds: labels that the set never held. They end at the date of the published version, which does
 * not hold them. The import asserts nothing live and retires nothing: a list of 2024 must not sanction anyone again.
 * @param known identities the set holds or ever held
 */
export function historicalLabels<Next extends StatedLabel>(
  set: LabelSetName,
  known: ReadonlySet<string>,
  next: Iterable<Next>,
  publishedAsOf: string,
): readonly Next[] {
  const added: Next[] = []
  for (const [identity, label] of distinctLabels(set, next).distinct) {
    if (!known.has(identity)) added.push({ ...label, validTo: publishedAsOf })
  }
  return added
}

/** The date of a set: from its format, else from the operator, else its newest observation. */
export function setDate(
  statedByFormat: string | null,
  statedByOperator: string | null,
  labels: Iterable<Pick<StatedLabel, 'observedAt'>>,
): string | null {
  if (statedByFormat !== null) return statedByFormat
  if (statedByOperator !== null) return statedByOperator
  let newest: string | null = null
  for (const { observedAt } of labels) {
    if (observedAt !== null && (newest === null || observedAt > newest)) newest = observedAt
  }
  return newest
}
