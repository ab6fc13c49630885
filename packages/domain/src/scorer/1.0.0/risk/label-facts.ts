/** The facts about labels that a decision uses, exactly as the label view returned them. */
import type { ConsideredLabel, LabelSetState } from '@cupel/contracts'

/** A label found under the screened address's look-up key, live or ended. `address` is its canonical address. */
export type LabelFacts = Omit<ConsideredLabel, 'status' | 'isLiveDesignation' | 'used' | 'reason'>

/** The published state of one set. `authorityOrigin` is the origin whose own list it is, or empty. */
export type LabelSetFacts = LabelSetState

/** State of the label view when it was read. */
export type LabelViewState = 'current' | 'lagging' | 'missing'

/** Whether code is at the address on the screened chain. `unknown` without an answer, or with contradicting answers. */
export type CodeAtAddress = 'contract' | 'none' | 'unknown'

/** Why a label does not count. Open: later versions add words. */
export type UnusedReason =
  | 'ended'
  | 'authority_ended'
  | 'low_confidence'
  | 'other_chain'
  | 'contract_here'
  | 'same_origin'
  | 'unknown_category'
  | 'own_allow'
