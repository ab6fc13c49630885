/**
 * A second judgement, written only from the rules and without code of the product: exact fractions of big integers, one
 * straight pass per category, no table of considered labels. Slow on purpose. If it and the product differ, one of them is
 * wrong.
 */
import type { JudgementFacts, LabelFacts, LabelSetFacts as SetFacts } from '../src/index.js'
import {
  HUNDREDTHS_OF_POINTS,
  MILLIONTHS,
  decimal,
  greater,
  isEqual,
  isLess,
  minus,
  ratio,
  rounded,
  smaller,
  times,
  type Ratio,
} from './reference-fractions.js'

const illicit = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
const known: readonly string[] = [...illicit, 'clean_exchange']

export interface ReferenceItem {
  readonly relation: string
  readonly category: string
  readonly origin: string
  readonly used: boolean
  readonly reason: string | null
  readonly status: string
  readonly contribution: number
  readonly decisive: boolean
  /** Null if the rules leave open which of several labels is shown. */
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
  /** A cluster was read, but it gives no statement because one of its members is a clean service. */
  readonly clusterHoldsService: boolean
}

const HOUR_MS = 60 * 60 * 1000

export function referenceJudgement(facts: JudgementFacts): ReferenceJudgement {
  const policy = facts.policy.document
  const now = facts.generatedAt

  // Section 1: lists in force, designations, outlived labels.
  /** A date more than a day ahead of the report counts as no date. */
  const dateOf = (text: string | null): number | null => {
    const date = text === null ? NaN : Date.parse(text)
    return Number.isNaN(date) || date > Date.parse(now) + 24 * HOUR_MS ? null : date
  }
  const dayOf = ({ asOf }: SetFacts): number | null => {
    const date = dateOf(asOf)
    return date === null ? null : Math.floor(date / (24 * HOUR_MS))
  }
  const hasLabels = (set: SetFacts): boolean => set.publishedAt !== '' && set.total > 0
  /** A list that was fetched from the authority and names no address. */
  const isBare = (set: SetFacts): boolean =>
    set.publishedAt !== '' &&
    set.total === 0 &&
    set.whole &&
    set.authorityOrigin !== '' &&
    set.refreshConfigured &&
    set.confirmedAt !== null
  const isList = (set: SetFacts): boolean => hasLabels(set) || isBare(set)
  /** Nothing of the document is missing: no label, and no row that nobody could read. */
  const isWhole = ({ visible, total, rows }: SetFacts): boolean =>
    visible === total && rows.unreadable === rows.accepted
  /** The later publication says whether two sets are one list. */
  const follows = (one: SetFacts, other: SetFacts): boolean =>
    one.labelSetSeq >= other.labelSetSeq && one.versionOf.includes(`${other.source}/${other.dataset}`)
  const isSameList = (one: SetFacts, other: SetFacts): boolean => follows(one, other) || follows(other, one)
  /** A list ends labels only if every label of the list is here. */
  const canEnd = (set: SetFacts, origin: string): boolean =>
    set.whole && hasLabels(set) && isWhole(set) && set.authorityOrigin === origin
  const isHistory = (set: SetFacts): boolean =>
    set.whole &&
    isList(set) &&
    facts.labelSets.some(
      (other) =>
        canEnd(other, set.authorityOrigin) &&
        isSameList(other, set) &&
        dayOf(other) !== null &&
        dayOf(set) !== null &&
        dayOf(other)! > dayOf(set)!,
    )
  const inForce = facts.labelSets.filter(
    (set) => set.authorityOrigin !== '' && isList(set) && !isHistory(set),
  )
  const isRetired = (label: LabelFacts): boolean =>
    label.knownTo !== null || (label.validTo !== null && label.validTo <= now)
  const designates = (label: LabelFacts): boolean =>
    label.category === 'sanctions' &&
    !isRetired(label) &&
    inForce.some(
      (set) =>
        set.authorityOrigin === label.origin && set.source === label.source && set.dataset === label.dataset,
    )
  /** All labels of the address of this label. */
  const beside = (label: LabelFacts): readonly LabelFacts[] => {
    const members = facts.cluster?.labels ?? []
    const member = members.find((one) => one.label === label)?.member
    return member === undefined
      ? facts.labels
      : members.filter((one) => one.member === member).map((one) => one.label)
  }
  const isOutlived = (label: LabelFacts): boolean =>
    label.category === 'sanctions' &&
    inForce.some((set) => canEnd(set, label.origin)) &&
    !beside(label).some((other) => other.origin === label.origin && designates(other))
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
    const ofOneKey = [label.chain, facts.chain].every((chain) => ['ETH', 'BSC', 'TRX'].includes(chain))
    if (label.category === 'clean_exchange')
      return ofOneKey && ![label.chain, facts.chain].includes('TRX') && facts.codeAtAddress === 'none'
        ? null
        : 'other_chain'
    return ofOneKey && facts.codeAtAddress === 'contract' ? 'contract_here' : null
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

  // Section 7: labels of other cluster members, the best per category and origin.
  const cluster = clusterOf(facts, { whyNot, designates, confidence, factor })

  // Section 4: points, weights, the fixed floor.
  const points = (C: Ratio): Ratio => rounded(C, HUNDREDTHS_OF_POINTS)
  const weighted = (category: string, value: Ratio): Ratio =>
    category === 'clean_exchange'
      ? ratio(0)
      : rounded(times(decimal(policy.weights[category as 'scam']), value), HUNDREDTHS_OF_POINTS)
  const clusterPoints = (category: string, value: Ratio): Ratio => {
    let most = points(value)
    const limit = times(decimal(policy.cluster.maximum), ratio(1, 100))
    while (isLess(limit, weighted(category, most))) most = minus(most, ratio(1, HUNDREDTHS_OF_POINTS))
    return most
  }
  const pointsOf = (category: string): Ratio =>
    cluster.best
      .filter((one) => one.category === category)
      .map(({ value }) => clusterPoints(category, value))
      .reduce(greater, points(ownership.get(category)!.C))
  const score = floor
    ? ratio(1)
    : illicit.map((category) => weighted(category, pointsOf(category))).reduce(greater)

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
        item(
          {
            ...{ relation: 'ownership', category, origin, used: true, reason: null },
            ...{ status: 'live', confidence: null },
          },
          contribution,
        ),
      )
    }
    if (isLess(best, C) && sure.size === 0) {
      const confidencePpm = Number((C.top * MILLIONTHS) / C.bottom) / 1e6
      items.push(
        item(
          {
            relation: 'ownership',
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
  for (const { category, origin, value } of cluster.best)
    items.push(
      item(
        {
          ...{ relation: 'cluster', category, origin, used: true, reason: null },
          ...{ status: 'live', confidence: null },
        },
        weighted(category, clusterPoints(category, value)),
      ),
    )
  const shown = new Set<string>()
  for (const label of facts.labels) {
    const reason = whyNot(label)
    const { category, origin } = label
    if (reason === null || shown.has(JSON.stringify([category, origin, reason]))) continue
    shown.add(JSON.stringify([category, origin, reason]))
    const status = reason === 'ended' || reason === 'authority_ended' ? 'ended' : 'live'
    items.push(
      item(
        { relation: 'ownership', category, origin, used: false, reason, status, confidence: null },
        ratio(0),
      ),
    )
  }

  // A list's age: its own date or the last confirmation, whichever is later, in whole milliseconds.
  const ageOf = ({ asOf, confirmedAt }: SetFacts): number =>
    Date.parse(now) - Math.max(...[asOf, confirmedAt].map((date) => dateOf(date) ?? -Infinity))
  const { required, max_age_hours, max_age_hours_by_origin } = policy.freshness
  const isRequired = (set: SetFacts): boolean =>
    set.refreshConfigured || required.some(({ origin }) => origin === set.authorityOrigin)
  const isStale = facts.labelSets.some((set) => {
    const hours = max_age_hours_by_origin[set.authorityOrigin] ?? max_age_hours
    // The set is expected but was never published.
    if (set.publishedAt === '') return true
    if (!isRequired(set) || !isList(set) || isHistory(set)) return false
    return set.staleBase || ageOf(set) > hours * HOUR_MS
  })
  /** A list that was here, and whose set is gone, is stale. */
  const isAbsent = required.some(({ origin }) => {
    const whole = facts.labelSets.filter((set) => set.whole && set.authorityOrigin === origin)
    return whole.length > 0 && !whole.some(isList)
  })
  /** Authorities whose whole list is here. A missing one that is always required is no sanctions list, and so is none at all. */
  const here = inForce.filter((set) => set.whole && hasLabels(set)).map((set) => set.authorityOrigin)
  const hasWholeList =
    here.length > 0 &&
    required.every(({ origin, when }) => when === 'once_published' || here.includes(origin))
  const isCounted = facts.labelSets.every((set) => set.publishedAt === '' || isWhole(set))
  const fresh = !isStale && !isAbsent && facts.labelView === 'current'

  // Level.
  const clean = ownership.get('clean_exchange')!
  const conflictCategories =
    clean.origins.size === 0
      ? []
      : illicit.filter(
          (category) =>
            ownership.get(category)!.origins.size > 0 ||
            cluster.best.some((one) => one.category === category),
        )
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
    if (!hasWholeList) levelReasons.push('no_sanctions_list')
    if (!isCounted) levelReasons.push('list_incomplete')
    if (!isClean && isAttributed) levelReasons.push('weak_attribution')
    if (!isClean) levelReasons.push('no_chain_data')
    if (cluster.hasFailed) levelReasons.push('partial')
    if (levelReasons.length === 0) level = 'green'
  }
  return {
    level,
    levelReasons,
    score: printed(score),
    categories: Object.fromEntries(
      [...ownership.keys()].map((category) => [category, printed(pointsOf(category))]),
    ),
    conflictCategories,
    scoreIsLowerBound: !fresh || !isCounted || !hasWholeList || cluster.hasFailed,
    items,
    clusterHoldsService: cluster.isService,
  }
}

interface ClusterStatement {
  readonly category: string
  readonly origin: string
  /** c · factor · ρ. */
  readonly value: Ratio
  readonly leads: boolean
}

/** The statements of a cluster: none if the reading stopped, or if a member is a clean service. */
function clusterOf(
  { cluster = null, policy }: JudgementFacts,
  {
    whyNot,
    designates,
    confidence,
    factor,
  }: {
    readonly whyNot: (label: LabelFacts) => string | null
    readonly designates: (label: LabelFacts) => boolean
    readonly confidence: (label: LabelFacts) => Ratio
    readonly factor: (label: LabelFacts) => Ratio
  },
): {
  readonly best: readonly ClusterStatement[]
  readonly hasFailed: boolean
  readonly isService: boolean
} {
  const hasFailed = cluster?.stopped === 'failed'
  const usable = (cluster?.labels ?? []).filter(({ label }) => whyNot(label) === null)
  const wasRead = cluster !== null && cluster.stopped === ''
  const isService =
    wasRead &&
    usable.some(
      ({ label }) =>
        label.role === 'owner' &&
        label.category === 'clean_exchange' &&
        !isLess(
          rounded(times(confidence(label), factor(label)), MILLIONTHS),
          decimal(policy.document.exposure.service_confidence),
        ),
    )
  if (!wasRead || isService) return { best: [], hasFailed, isService }
  const best = new Map<string, ClusterStatement>()
  for (const { label } of usable) {
    const { category, origin } = label
    if (!(illicit as readonly string[]).includes(category)) continue
    const lowered = rounded(
      times(confidence(label), decimal(policy.document.cluster.confidence_factor)),
      MILLIONTHS,
    )
    const value = rounded(times(lowered, factor(label)), MILLIONTHS)
    const key = JSON.stringify([category, origin])
    const known = best.get(key)
    // Without a designation beside it, a restatement would have ended; so the designation stands for its origin.
    const leads = designates(label)
    if (known === undefined || (leads === known.leads ? isLess(known.value, value) : leads))
      best.set(key, { category, origin, value, leads })
  }
  return { best: [...best.values()], hasFailed, isService }
}
