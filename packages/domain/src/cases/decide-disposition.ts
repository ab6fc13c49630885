/** What becomes of a case when somebody gives it a disposition. A second person confirms what the installation asks it for. */
import { riskLevels, type Disposition } from '@cupel/contracts'

/** Who acts: the holder of a key, and the person where one is signed in. */
export interface CasePersonId {
  /** The first key of the line of rotations that the key of the call is in: a rotated key has the same holder. */
  readonly holder: string
  /** A name of the person that never changes; empty where nobody is signed in. */
  readonly person: string
}

export interface CaseState {
  /** Null before the first entry. */
  readonly disposition: Disposition | null
  readonly proposal: { readonly disposition: Disposition; readonly by: CasePersonId } | null
}

export interface DispositionOrder {
  readonly disposition: Disposition
  readonly by: CasePersonId
  /** Whether this report is cleared by two persons only. */
  readonly needsSecondPerson: boolean
}

export type DispositionDecision =
  | { readonly kind: 'changed'; readonly isConfirmation: boolean }
  | { readonly kind: 'proposed' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'refused'; readonly because: 'same_person' | 'already_so' }

/**
 * - Another disposition than the present one is a change, and ends a pending proposal.
 * - `cleared` where two persons are needed is a proposal; the same disposition by another person confirms it.
 * - The present disposition declines a pending proposal. Without one there is nothing to do.
 */
export function decideDisposition(state: CaseState, order: DispositionOrder): DispositionDecision {
  const { disposition, proposal } = state
  if (order.disposition === disposition)
    return proposal === null ? { kind: 'refused', because: 'already_so' } : { kind: 'declined' }
  if (order.disposition !== 'cleared' || !order.needsSecondPerson)
    return { kind: 'changed', isConfirmation: false }
  if (proposal?.disposition !== order.disposition) return { kind: 'proposed' }
  return isSamePerson(proposal.by, order.by)
    ? { kind: 'refused', because: 'same_person' }
    : { kind: 'changed', isConfirmation: true }
}

/** Persons are compared by name where both are known; else the holders of the keys must differ, and one key is one person. */
export function isSamePerson(one: CasePersonId, other: CasePersonId): boolean {
  return one.person !== '' && other.person !== '' ? one.person === other.person : one.holder === other.holder
}

/** Whether a report of this level is cleared by two persons. `levels`: those that the installation names; empty for none. */
export function needsSecondPerson(levels: readonly string[], level: string): boolean {
  // A level of a later version is not known to be harmless.
  const isKnown = (riskLevels as readonly string[]).includes(level)
  return levels.length > 0 && (levels.includes(level) || !isKnown)
}
