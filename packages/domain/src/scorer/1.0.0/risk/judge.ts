/**
 * The judgement of one address: from labels, lists and policy to categories, score, level and evidence.
 * Pure and in whole numbers, so that the same inputs give the same bytes on every machine.
 */
import type { ClusterRecord, ConsideredLabel, Evidence, ExposureMeasure } from '@cupel/contracts'
import { ignoredDustOf, isBelowDust } from '../exposure/ignored-dust.js'
import { scoreExposure, type ScoredExposure } from '../exposure/score-exposure.js'
import { riskCategories, type Category, type RiskLevel } from '../vocabulary.js'
import { compareStrength, compareText, considerLabels } from './consider-labels.js'
import { clusterFindings, considerCluster, type ClusterFacts, type ClusterFinding } from './cluster.js'
import { collectEvidence } from './evidence.js'
import type { CodeAtAddress, LabelFacts, LabelSetFacts, LabelViewState } from './label-facts.js'
import { decideLevel, type ChainKnowledge, type ListFaults } from './level.js'
import { designatedNamesake } from './designated-names.js'
import { isMissing, judgeLists, type JudgedSet, type ListsJudgement } from './lists.js'
import {
  FULL_HUNDREDTHS,
  ownershipByCategory,
  weightedHundredths,
  type CategoryOwnership,
} from './ownership.js'
import { withOwnAllow } from './own-allow.js'
import { isOwnAllow } from './own-labels.js'
import type { CompiledPolicy } from './policy.js'

export interface JudgementFacts {
  readonly chain: string
  readonly canonicalAddress: string
  readonly labels: readonly LabelFacts[]
  readonly labelSets: readonly LabelSetFacts[]
  readonly labelView: Exclude<LabelViewState, 'missing'>
  readonly chainKnowledge: ChainKnowledge
  readonly codeAtAddress?: CodeAtAddress
  /** A query other than that for labels failed, was late, or got contradicting answers. */
  readonly hasFault?: boolean
  /** Value that moved between the address and labelled ones; absent where no ledger was asked. */
  readonly exposure?: readonly ExposureMeasure[]
  /** The ledger should have been examined, and was not. */
  readonly exposureIsDropped?: boolean
  /** What is known of the address is made up; absent: it is not. */
  readonly isOfDemo?: boolean
  /** Addresses that spent together with this one; absent where there are none, or where no ledger was asked. */
  readonly cluster?: ClusterFacts | null
  /** UTC, RFC 3339: the only clock of the decision. */
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}

export interface Conflict {
  readonly category: string
  readonly clean_entity: string
  readonly illicit_entity: string
}

export interface Judgement {
  readonly level: RiskLevel
  readonly levelReasons: readonly string[]
  readonly overallHundredths: number
  /** Unweighted points of each category, hundredths. */
  readonly categoryHundredths: Readonly<Record<Category, number>>
  readonly scoreIsLowerBound: boolean
  /** An authority's own current list names the address itself. */
  readonly isDesignated: boolean
  readonly conflicts: readonly Conflict[]
  readonly evidence: readonly Evidence[]
  readonly evidenceOmitted: number
  readonly labelsCoverage: 'complete' | 'partial' | 'stale' | 'unavailable'
  readonly considered: readonly ConsideredLabel[]
  /** The cluster with the labels of it that count. */
  readonly cluster: ClusterRecord | null
  readonly labelSets: readonly JudgedSet[]
  /** The earliest date among the whole sanctions lists in force; null without one. */
  readonly listsAsOf: string | null
}

/** Judges an address. It never fails: missing facts lower what the report can claim. */
export function judge(facts: JudgementFacts): Judgement {
  const { policy, generatedAt, canonicalAddress } = facts
  const considered = considerLabels(facts)
  const ownership = ownershipByCategory(considered, policy)
  const isDesignated = ownership.some((owned) => owned.isDesignated)
  const { cluster: read = null } = facts
  const cluster = read === null ? null : considerCluster(read, facts)
  const findings = clusterFindings(cluster, policy)
  const cleanService = isCleanService(ownership, findings, policy)
  const exposure =
    facts.exposure === undefined
      ? []
      : scoreExposure(facts.exposure, { policy, isCleanService: cleanService })
  const categoryHundredths = pointsByCategory(ownership, [...findings, ...exposure])
  const overallHundredths = overallScore(categoryHundredths, isDesignated, policy)
  const { shown, omitted } = collectEvidence({
    ownership,
    considered,
    findings,
    exposure,
    overallHundredths,
    screenedAddress: canonicalAddress,
    policy,
  })
  const lists = judgeLists(facts.labelSets, generatedAt, policy)
  const listFaults: ListFaults = {
    areStale: lists.isStale || lists.hasMissing || facts.labelView !== 'current',
    lackSanctions: !lists.hasSanctionsList,
    areIncomplete: lists.isIncomplete,
  }
  const conflicts = findConflicts({ ownership, findings, considered, ...facts })
  const clusterIsDropped = cluster?.stopped === 'failed'
  const { level, reasons } = decideLevel({
    overallHundredths,
    isDesignated,
    cleanConfidencePpm: ownershipOf(ownership, 'clean_exchange').confidencePpm,
    hasAttribution: considered.some((label) => label.status === 'live' && !isOwnAllow(label)),
    hasConflict: conflicts.length > 0,
    hasDroppedStage: clusterIsDropped || facts.exposureIsDropped === true,
    isOfDemo: facts.isOfDemo === true,
    lists: listFaults,
    chainKnowledge: withOwnAllow(facts.chainKnowledge, considered, facts.chain),
    policy,
  })
  return {
    level,
    levelReasons: reasons,
    overallHundredths,
    categoryHundredths,
    scoreIsLowerBound:
      Object.values(listFaults).includes(true) || clusterIsDropped || facts.hasFault === true,
    isDesignated,
    conflicts,
    evidence: shown,
    evidenceOmitted: omitted,
    labelsCoverage: labelsCoverage(lists, facts.labelView),
    considered,
    cluster,
    labelSets: lists.labelSets,
    listsAsOf: lists.asOf,
  }
}

/** Which lists were available: none, not all, all but some too old, or all. */
function labelsCoverage(
  { labelSets, isStale, hasMissing, isIncomplete, hasSanctionsList }: ListsJudgement,
  labelView: JudgementFacts['labelView'],
): Judgement['labelsCoverage'] {
  if (isStale || labelView !== 'current') return 'stale'
  if (labelSets.every(isMissing)) return 'unavailable'
  return hasMissing || isIncomplete || !hasSanctionsList ? 'partial' : 'complete'
}

/** Points of a category: the maximum of ownership, cluster and exposure. */
function pointsByCategory(
  ownership: readonly CategoryOwnership[],
  others: readonly Pick<ScoredExposure, 'category' | 'hundredths'>[],
): Readonly<Record<Category, number>> {
  return Object.fromEntries(
    ownership.map(({ category, hundredths }) => [
      category,
      Math.max(hundredths, ...others.filter((one) => one.category === category).map((one) => one.hundredths)),
    ]),
  ) as Record<Category, number>
}

/** A clean service without any illicit label: the value that passes through it belongs to its customers. */
function isCleanService(
  ownership: readonly CategoryOwnership[],
  findings: readonly ClusterFinding[],
  { exposure }: CompiledPolicy,
): boolean {
  const { confidencePpm } = ownershipOf(ownership, 'clean_exchange')
  return (
    confidencePpm > 0 &&
    confidencePpm >= exposure.cleanServiceConfidencePpm &&
    findings.length === 0 &&
    riskCategories.every((category) => ownershipOf(ownership, category).counted.length === 0)
  )
}

/** The weighted maximum of the risk categories; a designation is 100 under every policy. */
function overallScore(
  categoryHundredths: Readonly<Record<Category, number>>,
  isDesignated: boolean,
  policy: CompiledPolicy,
): number {
  if (isDesignated) return FULL_HUNDREDTHS
  return Math.max(
    ...riskCategories.map((category) =>
      weightedHundredths(categoryHundredths[category], policy.weightsPpm[category]),
    ),
  )
}

function ownershipOf(ownership: readonly CategoryOwnership[], category: Category): CategoryOwnership {
  return ownership.find((owned) => owned.category === category)!
}

/**
 * Clean together with anything illicit that counts, with the name of a designated party, or with direct dealings with a sanctioned one:
 * both are shown, and the address is never green.
 */
function findConflicts({
  ownership,
  findings,
  considered,
  exposure = [],
  labelSets,
  policy,
}: Pick<JudgementFacts, 'exposure' | 'labelSets' | 'policy'> & {
  readonly ownership: readonly CategoryOwnership[]
  readonly findings: readonly ClusterFinding[]
  readonly considered: readonly ConsideredLabel[]
}): readonly Conflict[] {
  const { counted } = ownershipOf(ownership, 'clean_exchange')
  const clean = strongestEntity(counted, policy)
  if (clean === undefined) return []
  const namesakes = considered
    .filter((label) => label.category === 'clean_exchange' && label.status === 'live' && !isOwnAllow(label))
    .flatMap(({ entity }) => {
      const party = designatedNamesake(entity, labelSets)
      return party === null ? [] : [{ category: 'sanctions', clean_entity: entity, illicit_entity: party }]
    })
  const others = riskCategories.flatMap((category) => {
    const illicit =
      strongestEntity(ownershipOf(ownership, category).counted, policy) ??
      strongestEntity(
        findings.filter((one) => one.category === category),
        policy,
      ) ??
      (category === 'sanctions' ? sanctionedCounterparty(exposure) : undefined)
    return illicit === undefined ? [] : [{ category, clean_entity: clean, illicit_entity: illicit }]
  })
  const all = [...namesakes, ...others]
  return all.filter((one, index) => all.findIndex((other) => isSameConflict(one, other)) === index)
}

const isSameConflict = (a: Conflict, b: Conflict): boolean =>
  a.category === b.category && a.clean_entity === b.clean_entity && a.illicit_entity === b.illicit_entity

/** A sanctioned party with which value above dust was exchanged directly; of several the first by name. */
function sanctionedCounterparty(exposure: readonly ExposureMeasure[]): string | undefined {
  const isIgnored = ignoredDustOf(exposure)
  const isAboveDust = (one: ExposureMeasure): boolean =>
    one.direction === 'in' ? !isIgnored(one) : !isBelowDust(one, BigInt(one.wholeAmount))
  const direct = exposure
    .filter(
      (one) =>
        one.category === 'sanctions' &&
        one.relation === 'direct' &&
        !one.isWeak &&
        BigInt(one.wholeAmount) > 0n &&
        isAboveDust(one),
    )
    .map(({ entity, sourceAddress }) => (entity === '' ? sourceAddress : entity))
  return direct.sort(compareText)[0]
}

function strongestEntity(
  labels: readonly { readonly label: ConsideredLabel }[],
  policy: CompiledPolicy,
): string | undefined {
  return [...labels].sort((a, b) => compareStrength(a.label, b.label, policy))[0]?.label.entity
}
