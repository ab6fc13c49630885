/** Decides how a disposition changes a case. A second person confirms the dispositions that the installation names. */
import { riskLevels, type Disposition } from '@cupel/contracts'

/** The author: the holder of a key, and the person if one is signed in. */
export interface CasePersonId {
  /** The first key in the chain of rotations of the call's key: a rotated key has the same holder. */
  readonly holder: string
  /** The permanent identifier of the person; empty if no person is signed in. */
  readonly subject: string
  /** The name of the person; empty if no person is signed in. */
  readonly name: string
}

export interface CaseState {
  /** Null before the first entry. */
  readonly disposition: Disposition | null
  readonly proposal: { readonly disposition: Disposition; readonly by: CasePersonId } | null
}

export interface DispositionOrder {
  readonly disposition: Disposition
  readonly by: CasePersonId
  /** Whether clearing this report needs two persons. */
  readonly needsSecondPerson: boolean
  /** Whether people sign in: then a key without a person is nobody's proof of another person. */
  readonly doPeopleSignIn: boolean
}

export type DispositionDecision =
  | { readonly kind: 'changed'; readonly isConfirmation: boolean }
  | { readonly kind: 'proposed' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'refused'; readonly because: 'same_person' | 'already_so' }

/**
 * - Another disposition than the current one is a change, and ends a pending proposal.
 * - If two persons are needed, `cleared` is a proposal; the same disposition by another person confirms it.
 * - The current disposition declines a pending proposal. Without a proposal there is nothing to do.
 */
export function decideDisposition(state: CaseState, order: DispositionOrder): DispositionDecision {
  const { disposition, proposal } = state
  if (order.disposition === disposition)
    return proposal === null ? { kind: 'refused', because: 'already_so' } : { kind: 'declined' }
  if (order.disposition !== 'cleared' || !order.needsSecondPerson)
    return { kind: 'changed', isConfirmation: false }
  if (proposal?.disposition !== order.disposition) return { kind: 'proposed' }
  return isSamePerson(proposal.by, order.by, order.doPeopleSignIn)
    ? { kind: 'refused', because: 'same_person' }
    : { kind: 'changed', isConfirmation: true }
}

/**
 * Two authors are two persons if both have a permanent identifier and these differ. Otherwise both the holders of the keys and the names must
 * differ. Where people sign in, a key without a person is not another person.
 */
export function isSamePerson(one: CasePersonId, other: CasePersonId, doPeopleSignIn: boolean): boolean {
  if (one.subject !== '' && other.subject !== '') return one.subject === other.subject
  if (doPeopleSignIn && (isNobody(one) || isNobody(other))) return true
  return one.holder === other.holder || (one.name !== '' && one.name === other.name)
}

const isNobody = ({ subject, name }: CasePersonId): boolean => subject === '' && name === ''

/** Whether clearing a report of this level needs two persons. `levels`: the levels that the installation names; empty for none. */
export function needsSecondPerson(levels: readonly string[], level: string): boolean {
  // A level of a later version is not known to be harmless.
  const isKnown = (riskLevels as readonly string[]).includes(level)
  return levels.length > 0 && (levels.includes(level) || !isKnown)
}
