/** The answers of providers about one address, as a decision receives and records them. */
import type { ChainFact } from '@cupel/contracts'

/**
 * How the queries ended. `answered`: at least one provider answered in time. `failed`: all ended without an answer. `late`: the
 * deadline passed before all had ended, and the whole stage was dropped. Empty: no provider was queried.
 */
export type ChainStage = '' | 'answered' | 'failed' | 'late'

export interface ChainInputs {
  readonly stage: ChainStage
  /** One per queried provider, in the order of the configuration, which is the order of trust. */
  readonly facts: readonly ChainFact[]
}

/** No provider is configured for the chain: a normal state. */
export const noChainInputs: ChainInputs = { stage: '', facts: [] }
