/** Asks providers of chain data: balance, transaction count, code and tokens of one address, each answer checked. */
export { parseConfiguration, type ProviderConfig, type ProviderKind } from './configuration.js'
export { openChainData, type ChainData, type ChainQuestion } from './open-chain-data.js'
export { ProviderError } from './provider-error.js'
export { describePublicProviders, publicProviders } from './public-endpoints.js'
