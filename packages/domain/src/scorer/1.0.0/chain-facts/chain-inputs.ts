/** What providers of chain data said of one address, as a decision is given it and records it. */
import type { ChainFact } from '@cupel/contracts'

/**
 * How the asking ended. `answered`: at least one provider said something in time. `failed`: all ended, none with an
 * answer. `late`: the deadline passed before all had ended, and the whole stage was dropped. Empty: nobody was asked.
 */
export type ChainStage = '' | 'answered' | 'failed' | 'late'

export interface ChainInputs {
  readonly stage: ChainStage
  /** One per provider asked, in the order of the configuration, which is the order of trust. */
  readonly facts: readonly ChainFact[]
}

/** No provider is configured for the chain: a normal state. */
export const noChainInputs: ChainInputs = { stage: '', facts: [] }
