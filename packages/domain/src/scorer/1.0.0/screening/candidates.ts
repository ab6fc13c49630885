/**
 * An address can be possible on several chains. Where the caller names none, each of them is judged on which labels, the ledger or a
 * provider know the address, and the worst judgement is the answer.
 */
import type { Evidence } from '@cupel/contracts'
import { noChainInputs } from '../chain-facts/chain-inputs.js'
import { MAX_EVIDENCE_ITEMS } from '../risk/evidence.js'
import type { Judgement } from '../risk/judge.js'
import type { LabelFacts } from '../risk/label-facts.js'
import type { LevelReason } from '../risk/level-reasons.js'
import { riskCategories, type RiskLevel } from '../vocabulary.js'
import type { ChainFindings } from './screening-inputs.js'

/** The candidates on which something knows the address, besides what the detected chain has of it anyway. */
export function knownCandidates(
  detectedLabels: readonly LabelFacts[],
  candidates: readonly ChainFindings[],
): readonly ChainFindings[] {
  const detectedIds = new Set(detectedLabels.map(({ labelId }) => labelId))
  return candidates.filter(
    ({ chain, labels, exposure, cluster, chainInputs = noChainInputs }) =>
      labels.some((label) => label.chain === chain || !detectedIds.has(label.labelId)) ||
      ((exposure ?? null) !== null && exposure?.status !== 'absent') ||
      (cluster ?? null) !== null ||
      mayBeUsed(chainInputs),
  )
}

/** A provider that was asked and did not answer may have known the address. */
function mayBeUsed({ stage, facts }: NonNullable<ChainFindings['chainInputs']>): boolean {
  if (stage === '') return false
  return (
    stage !== 'answered' ||
    facts.some(
      ({ error, balanceBaseUnits, txCount, isContract, tokens }) =>
        error !== null ||
        (balanceBaseUnits ?? '0') !== '0' ||
        (txCount ?? 0) > 0 ||
        isContract === true ||
        tokens.length > 0,
    )
  )
}

/** From best to worst for the address. */
const levels = ['green', 'grey', 'orange', 'red'] as const satisfies readonly RiskLevel[]

/** The judgement of the detected chain, made as bad as that of the worst other one. A clean label makes only its own chain known. */
export function worstOf(detected: Judgement, others: readonly Judgement[]): Judgement {
  if (others.length === 0) return detected
  const all = [detected, ...others]
  const overallHundredths = Math.max(...all.map((one) => one.overallHundredths))
  const level = levels[Math.max(...all.map((one) => levels.indexOf(one.level)))]!
  const categoryHundredths = { ...detected.categoryHundredths }
  for (const category of riskCategories)
    categoryHundredths[category] = Math.max(...all.map((one) => one.categoryHundredths[category]))
  const evidence = mergedEvidence(all, overallHundredths)
  return {
    ...detected,
    ...{ level, overallHundredths, categoryHundredths },
    levelReasons: level === 'grey' ? greyReasons(detected, others) : [],
    scoreIsLowerBound: all.some((one) => one.scoreIsLowerBound),
    isDesignated: all.some((one) => one.isDesignated),
    conflicts: distinct(all.flatMap(({ conflicts }) => conflicts)),
    evidence: evidence.slice(0, MAX_EVIDENCE_ITEMS),
    evidenceOmitted:
      all.reduce((sum, one) => sum + one.evidenceOmitted, 0) +
      Math.max(0, evidence.length - MAX_EVIDENCE_ITEMS),
  }
}

function greyReasons(detected: Judgement, others: readonly Judgement[]): readonly string[] {
  const isCleared = others.every(({ level }) => level === 'green')
  return isCleared ? detected.levelReasons : [...detected.levelReasons, 'candidate_chain' satisfies LevelReason]
}

/** The same statement counts once, where it counts most. */
function mergedEvidence(judgements: readonly Judgement[], overallHundredths: number): readonly Evidence[] {
  const strongest = new Map<string, Evidence>()
  const items = judgements.flatMap(({ evidence }) => evidence)
  for (const item of items.sort(compareEvidence)) {
    const key = JSON.stringify({ ...item, contribution: 0, decisive: false, used: true, reason: null })
    if (!strongest.has(key)) strongest.set(key, item)
  }
  return [...strongest.values()].map((item) => ({
    ...item,
    decisive: overallHundredths > 0 && item.contribution === overallHundredths / 100,
  }))
}

/** The sort is stable, so that the items of one chain keep their order and those of the detected chain come first. */
const compareEvidence = (a: Evidence, b: Evidence): number =>
  b.contribution - a.contribution || Number(b.used) - Number(a.used)

const distinct = <T>(values: readonly T[]): readonly T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
