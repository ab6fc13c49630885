export { formatAmount } from './amount.js'
export { noChainInputs, type ChainInputs, type ChainStage } from './chain-inputs.js'
export { findDisagreements, type Disagreement } from './disagreements.js'
export { readChainFacts, type ChainReading } from './read-chain-facts.js'
