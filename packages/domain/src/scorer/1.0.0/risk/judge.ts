/**
 * The judgement of one address: from labels, lists and policy to categories, score, level and evidence.
 * Pure and in whole numbers, so that the same inputs give the same bytes on every machine.
 */
import type { ConsideredLabel, Evidence, ExposureMeasure } from '@cupel/contracts'
import { scoreExposure, type ScoredExposure } from '../exposure/score-exposure.js'
import { riskCategories, type Category, type RiskLevel } from '../vocabulary.js'
import { compareStrength, considerLabels } from './consider-labels.js'
import { collectEvidence } from './evidence.js'
import { isMissing, judgeFreshness, type Freshness, type JudgedSet } from './freshness.js'
import type { CodeAtAddress, LabelFacts, LabelSetFacts, LabelViewState } from './label-facts.js'
import { decideLevel, type ChainKnowledge, type LevelReason } from './level.js'
import {
  FULL_HUNDREDTHS,
  ownershipByCategory,
  weightedHundredths,
  type CategoryOwnership,
} from './ownership.js'
import type { CompiledPolicy } from './policy.js'

export interface JudgementFacts {
  readonly chain: string
  readonly canonicalAddress: string
  readonly labels: readonly LabelFacts[]
  readonly labelSets: readonly LabelSetFacts[]
  readonly labelView: Exclude<LabelViewState, 'missing'>
  readonly chainKnowledge: ChainKnowledge
  readonly codeAtAddress?: CodeAtAddress
  /** A query beside the labels failed, was late, or got contradicting answers. */
  readonly hasFault?: boolean
  /** Value that moved between the address and labelled ones; absent where no ledger was asked. */
  readonly exposure?: readonly ExposureMeasure[]
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
  readonly levelReasons: readonly LevelReason[]
  readonly overallHundredths: number
  /** Unweighted points of each category, hundredths. */
  readonly categoryHundredths: Readonly<Record<Category, number>>
  readonly scoreIsLowerBound: boolean
  readonly conflicts: readonly Conflict[]
  readonly evidence: readonly Evidence[]
  readonly evidenceOmitted: number
  readonly labelsCoverage: 'complete' | 'partial' | 'stale' | 'unavailable'
  readonly considered: readonly ConsideredLabel[]
  readonly labelSets: readonly JudgedSet[]
}

/** Judges an address. It never fails: missing facts lower what the report can claim. */
export function judge(facts: JudgementFacts): Judgement {
  const { policy, generatedAt, canonicalAddress } = facts
  const considered = considerLabels(facts)
  const ownership = ownershipByCategory(considered, policy)
  const isDesignated = ownership.some((owned) => owned.isDesignated)
  const exposure =
    facts.exposure === undefined
      ? []
      : scoreExposure(facts.exposure, { policy, isCleanService: isCleanService(ownership, policy) })
  const categoryHundredths = pointsByCategory(ownership, exposure)
  const overallHundredths = overallScore(categoryHundredths, isDesignated, policy)
  const { shown, omitted } = collectEvidence({
    ownership,
    considered,
    exposure,
    overallHundredths,
    screenedAddress: canonicalAddress,
    policy,
  })
  const freshness = judgeFreshness(facts.labelSets, generatedAt, policy)
  const labelsAreFresh = freshness.isFresh && facts.labelView === 'current'
  const conflicts = findConflicts(ownership, policy)
  const { level, reasons } = decideLevel({
    overallHundredths,
    isDesignated,
    cleanConfidencePpm: ownershipOf(ownership, 'clean_exchange').confidencePpm,
    hasAttribution: considered.some(({ status }) => status === 'live'),
    hasConflict: conflicts.length > 0,
    labelsAreFresh,
    chainKnowledge: facts.chainKnowledge,
    policy,
  })
  return {
    level,
    levelReasons: reasons,
    overallHundredths,
    categoryHundredths,
    scoreIsLowerBound: !labelsAreFresh || facts.hasFault === true,
    conflicts,
    evidence: shown,
    evidenceOmitted: omitted,
    labelsCoverage: labelsCoverage(freshness, facts.labelView),
    considered,
    labelSets: freshness.labelSets,
  }
}

/** Which lists were available: none, not all, all but some too old, or all. */
function labelsCoverage(
  { labelSets, isFresh, isOnlyMissing }: Freshness,
  labelView: JudgementFacts['labelView'],
): Judgement['labelsCoverage'] {
  const isComplete = isFresh && labelView === 'current'
  if (!isComplete && !(isOnlyMissing && labelView === 'current')) return 'stale'
  if (labelSets.every(isMissing)) return 'unavailable'
  return isComplete ? 'complete' : 'partial'
}

/** Points of a category: the maximum of ownership and exposure. */
function pointsByCategory(
  ownership: readonly CategoryOwnership[],
  exposure: readonly ScoredExposure[],
): Readonly<Record<Category, number>> {
  return Object.fromEntries(
    ownership.map(({ category, hundredths }) => [
      category,
      Math.max(
        hundredths,
        ...exposure.filter((one) => one.category === category).map((one) => one.hundredths),
      ),
    ]),
  ) as Record<Category, number>
}

/** A clean service without any illicit label: the value that passes through it belongs to its customers. */
function isCleanService(ownership: readonly CategoryOwnership[], { exposure }: CompiledPolicy): boolean {
  const { confidencePpm } = ownershipOf(ownership, 'clean_exchange')
  return (
    confidencePpm > 0 &&
    confidencePpm >= exposure.cleanServiceConfidencePpm &&
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

/** Clean together with anything illicit that counts: both are shown, and the address is never green. */
function findConflicts(ownership: readonly CategoryOwnership[], policy: CompiledPolicy): readonly Conflict[] {
  const clean = strongestEntity(ownershipOf(ownership, 'clean_exchange'), policy)
  if (clean === undefined) return []
  return riskCategories.flatMap((category) => {
    const illicit = strongestEntity(ownershipOf(ownership, category), policy)
    return illicit === undefined ? [] : [{ category, clean_entity: clean, illicit_entity: illicit }]
  })
}

function strongestEntity(owned: CategoryOwnership, policy: CompiledPolicy): string | undefined {
  return [...owned.counted].sort((a, b) => compareStrength(a.label, b.label, policy))[0]?.label.entity
}
