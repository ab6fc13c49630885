/** The one doubt that an allow label of the account answers. */
import type { ConsideredLabel } from '@cupel/contracts'
import type { ChainKnowledge } from './level.js'
import { isOwnAllow } from './own-labels.js'

/** What is known of the chain, without the doubt that an allow label in force for the address on this chain answers. */
export function withOwnAllow(
  knowledge: ChainKnowledge,
  considered: readonly ConsideredLabel[],
  chain: string,
): ChainKnowledge {
  const isAllowed = considered.some((label) => isOwnAllow(label) && label.status === 'live' && label.chain === chain)
  if (!isAllowed || knowledge.status === 'unavailable') return knowledge
  return { ...knowledge, doubts: knowledge.doubts.filter((doubt) => doubt !== 'unattributed') }
}
