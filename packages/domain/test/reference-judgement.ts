/**
 * A second judgement, written from the rules alone and sharing no code with the product: exact fractions of big
 * integers, one straight pass per category, no table of considered labels. Slow on purpose; where it and the product
 * differ, one of them is wrong.
 */
import type { JudgementFacts, LabelFacts } from '../src/index.js'

/** A fraction; never reduced, never rounded but where the rules say so. */
interface Ratio {
  readonly top: bigint
  readonly bottom: bigint
}

const ratio = (top: bigint | number, bottom: bigint | number = 1): Ratio => ({
  top: BigInt(top),
  bottom: BigInt(bottom),
})
const times = (a: Ratio, b: Ratio): Ratio => ratio(a.top * b.top, a.bottom * b.bottom)
const minus = (a: Ratio, b: Ratio): Ratio => ratio(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom)
const isLess = (a: Ratio, b: Ratio): boolean => a.top * b.bottom < b.top * a.bottom
const greater = (a: Ratio, b: Ratio): Ratio => (isLess(a, b) ? b : a)
const smaller = (a: Ratio, b: Ratio): Ratio => (isLess(a, b) ? a : b)
const isEqual = (a: Ratio, b: Ratio): boolean => a.top * b.bottom === b.top * a.bottom

/** The nearest multiple of 1/parts, halves upwards. */
function rounded(value: Ratio, parts: bigint): Ratio {
  const doubled = 2n * value.top * parts + value.bottom
  return ratio(doubled / (2n * value.bottom), parts)
}

/** The exact value of a decimal number as it is written. */
function decimal(value: number): Ratio {
  const [whole, digits = ''] = value.toFixed(6).split('.')
  return ratio(BigInt(whole! + digits), 10n ** BigInt(digits.length))
}

const MILLIONTHS = 1_000_000n
/** Points have hundredths; as fractions of one that is ten thousandths. */
const HUNDREDTHS_OF_POINTS = 10_000n

const illicit = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
const known: readonly string[] = [...illicit, 'clean_exchange']

export interface ReferenceItem {
  readonly category: string
  readonly origin: string
  readonly used: boolean
  readonly reason: string | null
  readonly status: string
  readonly contribution: number
  readonly decisive: boolean
  /** Null where rules leave open which of several labels is shown. */
  readonly confidence: number | null
}

export interface ReferenceJudgement {
  readonly level: string
  readonly levelReasons: readonly string[]
  readonly score: number
  readonly categories: Readonly<Record<string, number>>
  readonly conflictCategories: readonly string[]
  readonly scoreIsLowerBound: boolean
  readonly items: readonly ReferenceItem[]
}

export function referenceJudgement(facts: JudgementFacts): ReferenceJudgement {
  const policy = facts.policy.document
  const now = facts.generatedAt
  const dayOf = (set: { asOf: string | null; publishedAt: string }): string =>
    (set.asOf ?? set.publishedAt).slice(0, 10)

  // Section 1: what is live, what designates, what is outlived.
  const isRetired = (label: LabelFacts): boolean =>
    label.knownTo !== null || (label.validTo !== null && label.validTo <= now)
  const authoritySets = (origin: string) =>
    origin === '' ? [] : facts.labelSets.filter((set) => set.authorityOrigin === origin)
  const isOnCurrentOwnList = (label: LabelFacts): boolean => {
    const sets = authoritySets(label.origin)
    const own = sets.find(({ source, dataset }) => source === label.source && dataset === label.dataset)
    const successors = sets.filter((set) => own?.source === set.source && dayOf(set) > dayOf(own))
    return own !== undefined && successors.every((set) => set.total < own.total / 2)
  }
  const designates = (label: LabelFacts): boolean =>
    label.category === 'sanctions' && !isRetired(label) && isOnCurrentOwnList(label)
  const isOutlived = (label: LabelFacts): boolean =>
    label.category === 'sanctions' &&
    authoritySets(label.origin).length > 0 &&
    !facts.labels.some((other) => other.origin === label.origin && designates(other))
  const confidence = (label: LabelFacts): Ratio =>
    designates(label) ? ratio(1) : ratio(label.confidencePpm, MILLIONTHS)
  const factor = (label: LabelFacts): Ratio =>
    decimal((policy.roles as Readonly<Record<string, number>>)[label.role] ?? policy.roles.disputed)
  const strength = (label: LabelFacts): Ratio => rounded(times(confidence(label), factor(label)), MILLIONTHS)
  const whyNot = (label: LabelFacts): string | null => {
    if (isRetired(label)) return 'ended'
    if (isOutlived(label)) return 'authority_ended'
    if (designates(label)) return null
    if (!known.includes(label.category)) return 'unknown_category'
    if (isLess(confidence(label), decimal(policy.ownership.minimum_confidence))) return 'low_confidence'
    if (label.chain === facts.chain || label.category === 'sanctions') return null
    const bothEvm = [label.chain, facts.chain].every((chain) => ['ETH', 'BSC'].includes(chain))
    if (label.category === 'clean_exchange')
      return bothEvm && facts.codeAtAddress === 'none' ? null : 'other_chain'
    return bothEvm && facts.codeAtAddress === 'contract' ? 'contract_here' : null
  }

  // Section 2: ownership per category.
  const usable = facts.labels.filter((label) => whyNot(label) === null)
  const floor = usable.some(designates)
  const ownership = new Map<
    string,
    { C: Ratio; best: Ratio; origins: Map<string, Ratio>; sure: Set<string> }
  >()
  for (const category of known) {
    const origins = new Map<string, Ratio>()
    const combinable = new Set<string>()
    const sure = new Set<string>()
    for (const label of usable.filter((one) => one.category === category)) {
      const value = strength(label)
      const before = origins.get(label.origin)
      const mayCombine = label.role === 'owner' || label.role === 'participant'
      if (before === undefined || isLess(before, value)) {
        origins.set(label.origin, value)
        combinable.delete(label.origin)
        if (mayCombine) combinable.add(label.origin)
      } else if (isEqual(before, value) && mayCombine) combinable.add(label.origin)
      if (designates(label)) sure.add(label.origin)
    }
    const best = [...origins.values()].reduce(greater, ratio(0))
    let doubt = ratio(1)
    for (const [origin, value] of origins) {
      if (!combinable.has(origin) || isLess(value, decimal(policy.ownership.combined_from))) continue
      doubt = times(doubt, minus(ratio(1), value))
    }
    const together = smaller(
      decimal(policy.ownership.combined_cap),
      rounded(minus(ratio(1), doubt), MILLIONTHS),
    )
    const independent = [...combinable].filter(
      (origin) => !isLess(origins.get(origin)!, decimal(policy.ownership.combined_from)),
    )
    const C = sure.size > 0 ? ratio(1) : independent.length > 1 ? greater(best, together) : best
    ownership.set(category, { C, best, origins, sure })
  }

  // Section 4: points, weights, the fixed floor.
  const points = (C: Ratio): Ratio => rounded(C, HUNDREDTHS_OF_POINTS)
  const weighted = (category: string, value: Ratio): Ratio =>
    category === 'clean_exchange'
      ? ratio(0)
      : rounded(times(decimal(policy.weights[category as 'scam']), value), HUNDREDTHS_OF_POINTS)
  const score = floor
    ? ratio(1)
    : illicit.map((category) => weighted(category, points(ownership.get(category)!.C))).reduce(greater)

  // Evidence.
  const printed = (value: Ratio): number => Number((value.top * HUNDREDTHS_OF_POINTS) / value.bottom) / 100
  const item = (
    rest: Omit<ReferenceItem, 'contribution' | 'decisive'>,
    contribution: Ratio,
  ): ReferenceItem => ({
    ...rest,
    contribution: printed(contribution),
    decisive: isLess(ratio(0), score) && isEqual(contribution, score),
  })
  const items: ReferenceItem[] = []
  for (const [category, { C, best, origins, sure }] of ownership) {
    for (const [origin, value] of origins) {
      const contribution = sure.has(origin) ? ratio(1) : weighted(category, points(value))
      items.push(
        item({ category, origin, used: true, reason: null, status: 'live', confidence: null }, contribution),
      )
    }
    if (isLess(best, C) && sure.size === 0) {
      const confidencePpm = Number((C.top * MILLIONTHS) / C.bottom) / 1e6
      items.push(
        item(
          {
            category,
            origin: 'combined',
            used: true,
            reason: null,
            status: 'live',
            confidence: confidencePpm,
          },
          weighted(category, points(C)),
        ),
      )
    }
  }
  const shown = new Set<string>()
  for (const label of facts.labels) {
    const reason = whyNot(label)
    const { category, origin } = label
    if (reason === null || shown.has(JSON.stringify([category, origin, reason]))) continue
    shown.add(JSON.stringify([category, origin, reason]))
    const status = reason === 'ended' || reason === 'authority_ended' ? 'ended' : 'live'
    items.push(item({ category, origin, used: false, reason, status, confidence: null }, ratio(0)))
  }

  // Freshness: whole milliseconds.
  const ageOf = (publishedAt: string): number => new Date(now).getTime() - new Date(publishedAt).getTime()
  const { required, max_age_hours, max_age_hours_by_origin } = policy.freshness
  const isRequired = (set: { refreshConfigured: boolean; authorityOrigin: string }): boolean =>
    set.refreshConfigured || required.some(({ origin }) => origin === set.authorityOrigin)
  const isStale = facts.labelSets.some((set) => {
    const hours = max_age_hours_by_origin[set.authorityOrigin] ?? max_age_hours
    // Waited for, and never published.
    if (set.publishedAt === '') return true
    return isRequired(set) && ageOf(set.publishedAt) > hours * 60 * 60 * 1000
  })
  const isAbsent = required.some(
    ({ origin, when }) => when === 'always' && facts.labelSets.every((set) => set.authorityOrigin !== origin),
  )
  const fresh = !isStale && !isAbsent && facts.labelView === 'current'

  // Level.
  const clean = ownership.get('clean_exchange')!
  const conflictCategories =
    clean.origins.size === 0 ? [] : illicit.filter((category) => ownership.get(category)!.origins.size > 0)
  const band = (limit: number): Ratio => times(decimal(limit), ratio(1, 100))
  let level = 'grey'
  const levelReasons: string[] = []
  if (floor || !isLess(score, band(policy.levels.red))) level = 'red'
  else if (!isLess(score, band(policy.levels.orange))) level = 'orange'
  else {
    const isClean = isLess(ratio(0), clean.C) && !isLess(clean.C, decimal(policy.green.clean_confidence))
    const isAttributed = facts.labels.some((label) => !isRetired(label) && !isOutlived(label))
    if (conflictCategories.length > 0) levelReasons.push('conflict')
    if (!fresh) levelReasons.push('stale_labels')
    if (!isClean && isAttributed) levelReasons.push('weak_attribution')
    if (!isClean) levelReasons.push('no_chain_data')
    if (levelReasons.length === 0) level = 'green'
  }
  return {
    level,
    levelReasons,
    score: printed(score),
    categories: Object.fromEntries([...ownership].map(([category, { C }]) => [category, printed(points(C))])),
    conflictCategories,
    scoreIsLowerBound: !fresh,
    items,
  }
}
