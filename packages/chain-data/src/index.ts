/** Asks providers of chain data: balance, transaction count, code and tokens of one address, each answer checked. */
export {
  ChainDataConfigurationError,
  parseConfiguration,
  providerKinds,
  type ProviderConfig,
  type ProviderKind,
} from './configuration.js'
export {
  openChainData,
  type ChainData,
  type ChainDataOptions,
  type ChainQuestion,
} from './open-chain-data.js'
export { ProviderError, type ProviderErrorCode } from './provider-error.js'
export { describePublicProviders, publicProviders } from './public-endpoints.js'
