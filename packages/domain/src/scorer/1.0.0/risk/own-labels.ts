/**
 * Labels that an account states itself. A block label is a statement like any other. An allow label has no points and hides no other
 * statement: it only answers from whom the value of the address is, and every other doubt stays.
 */
import type { ConsideredLabel } from '@cupel/contracts'
import type { LabelFacts } from './label-facts.js'
import type { ChainKnowledge } from './level.js'

/** The kind of the labels that an account states itself. No list has it. */
export const OWN_KIND = 'own'

export const isOwnAllow = ({ kind, category }: Pick<LabelFacts, 'kind' | 'category'>): boolean =>
  kind === OWN_KIND && category === 'clean_exchange'

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
