/**
 * Decides which labels count for an address, and why the others do not.
 *
 * An authority's current list designates. A restatement of such a list never outlives it: after the authority's own set was
 * published here, a restatement counts only for addresses on that set, whatever its own date.
 */
import type { ConsideredLabel } from '@cupel/contracts'
import { chainFactsOf } from '../tables/chain-table.js'
import { categories } from '../vocabulary.js'
import type { CodeAtAddress, LabelFacts, LabelSetFacts, UnusedReason } from './label-facts.js'
import { PPM, type CompiledPolicy } from './policy.js'

/** Returns the labels in their given order, each with its status and whether it is used. */
export function considerLabels({
  labels,
  labelSets,
  chain,
  codeAtAddress = 'unknown',
  generatedAt,
  policy,
}: {
  readonly labels: readonly LabelFacts[]
  readonly labelSets: readonly LabelSetFacts[]
  readonly chain: string
  readonly codeAtAddress?: CodeAtAddress
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}): readonly ConsideredLabel[] {
  const ownLists = currentOwnLists(labelSets)
  const isDesignation = (label: LabelFacts): boolean =>
    label.category === 'sanctions' &&
    !hasEnded(label, generatedAt) &&
    (ownLists.get(label.origin)?.has(setKey(label)) ?? false)
  const designatedBy = new Set(labels.filter(isDesignation).map(({ origin }) => origin))

  const considered = labels.map((label): ConsideredLabel => {
    const isLiveDesignation = isDesignation(label)
    const isOutlived =
      label.category === 'sanctions' && ownLists.has(label.origin) && !designatedBy.has(label.origin)
    const reason: UnusedReason | '' = hasEnded(label, generatedAt)
      ? 'ended'
      : isOutlived
        ? 'authority_ended'
        : isLiveDesignation
          ? ''
          : unusedReason(label, { chain, codeAtAddress }, policy)
    const status = reason === 'ended' || reason === 'authority_ended' ? 'ended' : 'live'
    return { ...label, status, isLiveDesignation, used: reason === '', reason }
  })
  return countOriginsOnce(considered, policy)
}

const setKey = ({ source, dataset }: { readonly source: string; readonly dataset: string }): string =>
  JSON.stringify([source, dataset])

/** Set keys by origin. */
type OwnLists = ReadonlyMap<string, ReadonlySet<string>>

/** A batch is decided from one array of sets. */
const rememberedLists = new WeakMap<readonly LabelSetFacts[], OwnLists>()

/** The sets that are the current list of each authority. */
function currentOwnLists(labelSets: readonly LabelSetFacts[]): OwnLists {
  let lists = rememberedLists.get(labelSets)
  if (lists === undefined) rememberedLists.set(labelSets, (lists = findOwnLists(labelSets)))
  return lists
}

function findOwnLists(labelSets: readonly LabelSetFacts[]): OwnLists {
  const lists = new Map<string, Set<string>>()
  for (const set of labelSets) {
    if (set.authorityOrigin === '' || labelSets.some((other) => supersedes(other, set))) continue
    const list = lists.get(set.authorityOrigin) ?? new Set<string>()
    lists.set(set.authorityOrigin, list.add(setKey(set)))
  }
  return lists
}

/** A newer list with at least one label for this many of the older one supersedes it. */
const SUPERSEDING_DIVISOR = 2

/**
 * Whether a source's newer list replaces an older one with another name. An old list must not sanction delisted addresses
 * again. A few urgent entries in a set of their own must not end a whole list.
 */
function supersedes(newer: LabelSetFacts, older: LabelSetFacts): boolean {
  return (
    newer.source === older.source &&
    newer.authorityOrigin === older.authorityOrigin &&
    dayOf(newer) > dayOf(older) &&
    newer.total * SUPERSEDING_DIVISOR >= older.total
  )
}

/** Lists are dated by day, some with a time. */
const dayOf = (set: LabelSetFacts): string => (set.asOf ?? set.publishedAt).slice(0, 'YYYY-MM-DD'.length)

function hasEnded({ knownTo, validTo }: LabelFacts, generatedAt: string): boolean {
  return knownTo !== null || (validTo !== null && validTo <= generatedAt)
}

function unusedReason(
  label: LabelFacts,
  screened: { readonly chain: string; readonly codeAtAddress: CodeAtAddress },
  policy: CompiledPolicy,
): UnusedReason | '' {
  if (!(categories as readonly string[]).includes(label.category)) return 'unknown_category'
  if (label.confidencePpm < policy.minimumConfidencePpm) return 'low_confidence'
  return label.chain === screened.chain ? '' : reasonNotToCross(label, screened)
}

/**
 * Why a label of another chain does not count. One key owns its account on every EVM chain, but different people can deploy a
 * contract at one address: where the address has code, a label of another chain does not apply. A clean label crosses only to
 * an address that is known to have no code.
 */
function reasonNotToCross(
  { category, chain }: LabelFacts,
  screened: { readonly chain: string; readonly codeAtAddress: CodeAtAddress },
): UnusedReason | '' {
  if (category === 'sanctions') return ''
  const isAmongEvm = isEvm(chain) && isEvm(screened.chain)
  if (category === 'clean_exchange')
    return isAmongEvm && screened.codeAtAddress === 'none' ? '' : 'other_chain'
  return isAmongEvm && screened.codeAtAddress === 'contract' ? 'contract_here' : ''
}

const isEvm = (chain: string): boolean => chainFactsOf(chain)?.family === 'evm'

/** Of the labels of one origin in one category only the strongest counts. */
function countOriginsOnce(
  considered: readonly ConsideredLabel[],
  policy: CompiledPolicy,
): readonly ConsideredLabel[] {
  const strongest = new Map<string, ConsideredLabel>()
  for (const label of considered) {
    if (!label.used) continue
    const key = JSON.stringify([label.category, label.origin])
    const known = strongest.get(key)
    if (known === undefined || compareStrength(label, known, policy) < 0) strongest.set(key, label)
  }
  const counted = new Set(strongest.values())
  return considered.map((label) =>
    label.used && !counted.has(label) ? { ...label, used: false, reason: 'same_origin' } : label,
  )
}

/** The order of strength: a designation, then c·ρ, then roles that may be combined, then the newest observation, then the id. */
export function compareStrength(a: ConsideredLabel, b: ConsideredLabel, policy: CompiledPolicy): number {
  return (
    Number(b.isLiveDesignation) - Number(a.isLiveDesignation) ||
    strengthPpm(b, policy) - strengthPpm(a, policy) ||
    Number(isCombinable(b)) - Number(isCombinable(a)) ||
    compareText(b.observedAt ?? '', a.observedAt ?? '') ||
    compareText(a.labelId, b.labelId)
  )
}

/** c in parts per million. A live designation is certain, whatever its file states. */
export function confidenceOf(label: ConsideredLabel): number {
  return label.isLiveDesignation ? PPM : label.confidencePpm
}

/** c·ρ in parts per million, rounded half up. An unknown role has the weight of a disputed one. */
export function strengthPpm(label: ConsideredLabel, policy: CompiledPolicy): number {
  const rolePpm = policy.rolesPpm[label.role] ?? policy.rolesPpm['disputed']!
  return Math.floor((confidenceOf(label) * rolePpm + PPM / 2) / PPM)
}

/** Only labels of owners and participants are combined. */
export function isCombinable({ role }: Pick<LabelFacts, 'role'>): boolean {
  return role === 'owner' || role === 'participant'
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
