/** The level: red and orange by the rounded score; green only where enough is known to say it; else grey. */
import type { RiskLevel } from '../vocabulary.js'
import type { CompiledPolicy } from './policy.js'

/** Why an address below orange is grey. Open: later versions add words. */
export type LevelReason =
  'conflict' | 'stale_labels' | 'weak_attribution' | 'no_chain_data' | 'partial' | 'no_history'

/** Whether chain data can make an address green. `unavailable` cannot. */
export type ChainKnowledge =
  | { readonly status: 'unavailable' }
  /** Examined: complete over at least two hops, with history, or what is missing from that. */
  | { readonly status: 'examined'; readonly isPartial: boolean; readonly hasHistory: boolean }

export interface LevelDecision {
  readonly level: RiskLevel
  readonly reasons: readonly LevelReason[]
}

/** Decides the level. Green needs the absence of every reason against it; it is never a default. */
export function decideLevel({
  overallHundredths,
  isDesignated,
  cleanConfidencePpm,
  hasAttribution,
  hasConflict,
  labelsAreFresh,
  chainKnowledge,
  policy,
}: {
  readonly overallHundredths: number
  readonly isDesignated: boolean
  /** C of clean_exchange on this chain. */
  readonly cleanConfidencePpm: number
  /** The address has at least one live label. */
  readonly hasAttribution: boolean
  readonly hasConflict: boolean
  /** Every required list is fresh and the label view follows the log. */
  readonly labelsAreFresh: boolean
  readonly chainKnowledge: ChainKnowledge
  readonly policy: CompiledPolicy
}): LevelDecision {
  if (isDesignated || overallHundredths >= policy.redHundredths) return { level: 'red', reasons: [] }
  if (overallHundredths >= policy.orangeHundredths) return { level: 'orange', reasons: [] }
  const reasons: LevelReason[] = []
  if (hasConflict) reasons.push('conflict')
  if (!labelsAreFresh) reasons.push('stale_labels')
  const isCleanOnThisChain = cleanConfidencePpm > 0 && cleanConfidencePpm >= policy.cleanConfidencePpm
  if (!isCleanOnThisChain) {
    const missing = missingChainKnowledge(chainKnowledge)
    if (missing.length > 0 && hasAttribution) reasons.push('weak_attribution')
    reasons.push(...missing)
  }
  return { level: reasons.length === 0 ? 'green' : 'grey', reasons }
}

function missingChainKnowledge(knowledge: ChainKnowledge): readonly LevelReason[] {
  if (knowledge.status === 'unavailable') return ['no_chain_data']
  const missing: LevelReason[] = []
  if (knowledge.isPartial) missing.push('partial')
  if (!knowledge.hasHistory) missing.push('no_history')
  return missing
}
