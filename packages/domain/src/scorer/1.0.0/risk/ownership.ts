/**
 * Ownership: the confidence per category from the labels of the address itself.
 * C = max(best, min(cap, 1 − Π(1 − c_o))) over the origins o with c_o of at least one half whose role is owner or
 * participant; c_o is the origin's strongest c·ρ. Parts per million, rounded half up; points are hundredths.
 */
import type { ConsideredLabel } from '@cupel/contracts'
import { categories, type Category } from '../vocabulary.js'
import { isCombinable, strengthPpm } from './consider-labels.js'
import { PPM, type CompiledPolicy } from './policy.js'

/** 100 points, and the score of a live designation. */
export const FULL_HUNDREDTHS = 10_000

export interface CategoryOwnership {
  readonly category: Category
  /** C_k. */
  readonly confidencePpm: number
  /** Points of the category, rounded once. */
  readonly hundredths: number
  /** The counted label of each origin. */
  readonly counted: readonly CountedLabel[]
  /** Whether several origins together exceed the best of them. */
  readonly isCombined: boolean
  /** An authority's own current list designates the address: 100 points that no policy removes. */
  readonly isDesignated: boolean
}

export interface CountedLabel {
  readonly label: ConsideredLabel
  /** c·ρ. */
  readonly strengthPpm: number
  readonly hundredths: number
}

/** Ownership of every category, in the fixed order of categories, from labels that were considered. */
export function ownershipByCategory(
  considered: readonly ConsideredLabel[],
  policy: CompiledPolicy,
): readonly CategoryOwnership[] {
  return categories.map((category) => {
    const counted = considered
      .filter((label) => label.used && label.category === category)
      .map((label): CountedLabel => {
        const strength = strengthPpm(label, policy)
        const hundredths = label.isLiveDesignation ? FULL_HUNDREDTHS : hundredthsOf(strength)
        return { label, strengthPpm: strength, hundredths }
      })
    const isDesignated = counted.some(({ label }) => label.isLiveDesignation)
    const bestPpm = Math.max(0, ...counted.map((one) => one.strengthPpm))
    const together = combinedPpm(counted, policy)
    const confidencePpm = isDesignated ? PPM : Math.max(bestPpm, together)
    return {
      category,
      confidencePpm,
      hundredths: hundredthsOf(confidencePpm),
      counted,
      isCombined: confidencePpm > bestPpm && !isDesignated,
      isDesignated,
    }
  })
}

function combinedPpm(counted: readonly CountedLabel[], policy: CompiledPolicy): number {
  const independent = counted.filter(
    ({ label, strengthPpm: strength }) => strength >= policy.combinedFromPpm && isCombinable(label),
  )
  if (independent.length < 2) return 0
  let doubt = 1n
  let scale = 1n
  for (const { strengthPpm: strength } of independent) {
    doubt *= BigInt(PPM - strength)
    scale *= BigInt(PPM)
  }
  const sure = (scale - doubt) * BigInt(PPM)
  return Math.min(policy.combinedCapPpm, Number((2n * sure + scale) / (2n * scale)))
}

/** Points of a confidence: 100·C in hundredths, rounded half up. */
export function hundredthsOf(confidencePpm: number): number {
  return Math.floor((confidencePpm + 50) / 100)
}

/** w·points in hundredths, rounded half up. */
export function weightedHundredths(hundredths: number, weightPpm: number): number {
  return Math.floor((hundredths * weightPpm + PPM / 2) / PPM)
}

/** The most points whose weighted value, rounded half up, is within a maximum. Hundredths. */
export function mostHundredths(weightPpm: number, maximumHundredths: number): number {
  if (weightPpm === 0) return FULL_HUNDREDTHS
  const beyond = (maximumHundredths * 2 + 1) * (PPM / 2)
  return Math.min(FULL_HUNDREDTHS, Math.ceil(beyond / weightPpm) - 1)
}
