/** The level: red and orange by the rounded score; green only where enough is known to say it; else grey. */
import type { RiskLevel } from '../vocabulary.js'
import type { GreenDoubt } from './green-doubts.js'
import type { LevelReason } from './level-reasons.js'
import type { CompiledPolicy } from './policy.js'

/** Whether chain data can make an address green. `unavailable` cannot. */
export type ChainKnowledge =
  | { readonly status: 'unavailable'; readonly incomplete?: readonly LevelReason[] }
  /** Examined: complete over at least two hops, with history, or what is missing from that. */
  | {
      readonly status: 'examined'
      readonly isPartial: boolean
      /** Why the history is not known to be complete. */
      readonly incomplete: readonly LevelReason[]
      readonly hasHistory: boolean
      /** What the origin of the value says against green. */
      readonly doubts: readonly GreenDoubt[]
    }

/** What speaks against the lists. */
export interface ListFaults {
  /** A required list is too old or never came, or the label view does not follow the log. */
  readonly areStale: boolean
  /** No whole list of an authority is in force. */
  readonly lackSanctions: boolean
  /** Labels of a list are missing. */
  readonly areIncomplete: boolean
}

export interface LevelDecision {
  readonly level: RiskLevel
  /** Why an address below orange is grey. */
  readonly reasons: readonly LevelReason[]
}

/** Decides the level. Green needs the absence of every reason against it; it is never a default. */
export function decideLevel({
  overallHundredths,
  isDesignated,
  cleanConfidencePpm,
  hasAttribution,
  hasConflict,
  hasDroppedStage,
  isOfDemo = false,
  lists,
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
  /** A stage that could have raised the score, or contradicted a clean label, was dropped. */
  readonly hasDroppedStage: boolean
  /** What is known of the address is made up. */
  readonly isOfDemo?: boolean
  readonly lists: ListFaults
  readonly chainKnowledge: ChainKnowledge
  readonly policy: CompiledPolicy
}): LevelDecision {
  if (isDesignated || overallHundredths >= policy.redHundredths) return { level: 'red', reasons: [] }
  if (overallHundredths >= policy.orangeHundredths) return { level: 'orange', reasons: [] }
  const reasons = new Set<LevelReason>()
  if (hasConflict) reasons.add('conflict')
  if (lists.areStale) reasons.add('stale_labels')
  if (lists.lackSanctions) reasons.add('no_sanctions_list')
  if (lists.areIncomplete) reasons.add('list_incomplete')
  const isCleanOnThisChain = cleanConfidencePpm > 0 && cleanConfidencePpm >= policy.cleanConfidencePpm
  if (!isCleanOnThisChain) {
    const missing = missingChainKnowledge(chainKnowledge)
    if (missing.length > 0 && hasAttribution) reasons.add('weak_attribution')
    for (const reason of missing) reasons.add(reason)
  }
  if (hasDroppedStage) reasons.add('partial')
  if (isOfDemo) reasons.add('demo_data')
  return { level: reasons.size === 0 ? 'green' : 'grey', reasons: [...reasons] }
}

function missingChainKnowledge(knowledge: ChainKnowledge): readonly LevelReason[] {
  if (knowledge.status === 'unavailable') return ['no_chain_data', ...(knowledge.incomplete ?? [])]
  const missing: LevelReason[] = []
  if (knowledge.isPartial) missing.push('partial', ...knowledge.incomplete)
  if (!knowledge.hasHistory) missing.push('no_history')
  return [...missing, ...knowledge.doubts]
}
