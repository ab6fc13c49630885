/**
 * Labels that an account states itself. A block label is a statement like any other. An allow label has no points and hides no other
 * statement: it only answers from whom the value of the address is, and every other doubt stays.
 */
import type { LabelFacts } from './label-facts.js'

/** The kind of the labels that an account states itself. No list has it. */
export const OWN_KIND = 'own'

export const isOwnAllow = ({ kind, category }: Pick<LabelFacts, 'kind' | 'category'>): boolean =>
  kind === OWN_KIND && category === 'clean_exchange'
