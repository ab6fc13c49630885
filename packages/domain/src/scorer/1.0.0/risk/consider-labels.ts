/**
 * Decides which labels count for an address, and why the others do not.
 *
 * An authority's own sets in force designate, all of them together: its whole list, and parts of it besides. A restatement
 * never outlives a whole list that is in force here: it then counts only for addresses that the authority's own sets designate.
 * A part, or a list without some of its labels, says nothing about what is not in it, so it ends nothing.
 */
import type { ConsideredLabel } from '@cupel/contracts'
import { chainFactsOf } from '../tables/chain-table.js'
import { categories } from '../vocabulary.js'
import type { CodeAtAddress, LabelFacts, LabelSetFacts, UnusedReason } from './label-facts.js'
import { canEnd, isInForce } from './lists.js'
import { isOwnAllow } from './own-labels.js'
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
    (ownLists.current.get(label.origin)?.has(setKey(label)) ?? false)
  const designatedBy = new Set(labels.filter(isDesignation).map(({ origin }) => origin))

  const considered = labels.map((label): ConsideredLabel => {
    const isLiveDesignation = isDesignation(label)
    const isOutlived =
      label.category === 'sanctions' && ownLists.whole.has(label.origin) && !designatedBy.has(label.origin)
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

interface OwnLists {
  /** Keys of the sets in force, by the authority whose own they are. All of them designate. */
  readonly current: ReadonlyMap<string, ReadonlySet<string>>
  /** Authorities whose whole list is in force, with all its labels. */
  readonly whole: ReadonlySet<string>
}

/** A batch is decided from one array of sets. */
const rememberedLists = new WeakMap<readonly LabelSetFacts[], OwnLists>()

/** What each authority states now. */
function currentOwnLists(labelSets: readonly LabelSetFacts[]): OwnLists {
  let lists = rememberedLists.get(labelSets)
  if (lists === undefined) rememberedLists.set(labelSets, (lists = findOwnLists(labelSets)))
  return lists
}

function findOwnLists(labelSets: readonly LabelSetFacts[]): OwnLists {
  const current = new Map<string, Set<string>>()
  const whole = new Set<string>()
  for (const set of labelSets) {
    const { authorityOrigin: origin } = set
    if (origin === '' || !isInForce(set, labelSets)) continue
    const sets = current.get(origin) ?? new Set<string>()
    current.set(origin, sets.add(setKey(set)))
    if (canEnd(set)) whole.add(origin)
  }
  return { current, whole }
}

function hasEnded({ knownTo, validTo }: LabelFacts, generatedAt: string): boolean {
  return knownTo !== null || (validTo !== null && validTo <= generatedAt)
}

function unusedReason(
  label: LabelFacts,
  screened: { readonly chain: string; readonly codeAtAddress: CodeAtAddress },
  policy: CompiledPolicy,
): UnusedReason | '' {
  if (isOwnAllow(label)) return 'own_allow'
  if (!(categories as readonly string[]).includes(label.category)) return 'unknown_category'
  if (label.confidencePpm < policy.minimumConfidencePpm) return 'low_confidence'
  return label.chain === screened.chain ? '' : reasonNotToCross(label, screened)
}

/**
 * Why a label of another chain does not count. All labels here are of one look-up key, so one key controls the accounts. On chains
 * with contracts different people can deploy a contract at one address: where the address has code, an illicit label of another
 * chain does not apply. A clean label stays on its chain, except among EVM chains where the address is known to have no code.
 */
function reasonNotToCross(
  { category, chain }: LabelFacts,
  screened: { readonly chain: string; readonly codeAtAddress: CodeAtAddress },
): UnusedReason | '' {
  if (category === 'sanctions') return ''
  const families = [chain, screened.chain].map((code) => chainFactsOf(code)?.family)
  if (category === 'clean_exchange')
    return screened.codeAtAddress === 'none' && families.every((one) => one === 'evm') ? '' : 'other_chain'
  const mayBeContracts = families.every((one) => one === 'evm' || one === 'tron')
  return mayBeContracts && screened.codeAtAddress === 'contract' ? 'contract_here' : ''
}

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

/** c·ρ in parts per million, rounded half up. */
export function strengthPpm(label: ConsideredLabel, policy: CompiledPolicy): number {
  return Math.floor((confidenceOf(label) * rolePpmOf(label, policy) + PPM / 2) / PPM)
}

/** ρ in parts per million. An unknown role has the weight of a disputed one. */
export function rolePpmOf({ role }: Pick<LabelFacts, 'role'>, policy: CompiledPolicy): number {
  return policy.rolesPpm[role] ?? policy.rolesPpm['disputed']!
}

/** Only labels of owners and participants are combined. */
export function isCombinable({ role }: Pick<LabelFacts, 'role'>): boolean {
  return role === 'owner' || role === 'participant'
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
