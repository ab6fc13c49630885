/** Asks providers of chain data: balance, transaction count, code and tokens of one address, and its transfers; each answer checked. */
export { checkProviders, type ProviderCheck } from './check-providers.js'
export { parseConfiguration, type ProviderConfig, type ProviderKind } from './configuration.js'
export {
  MAX_HISTORY_RESPONSE_BYTES,
  type HistoryEnd,
  type HistoryGap,
  type HistoryPage,
  type HistorySource,
} from './histories/history-source.js'
export { differingLines, type ToldHistory } from './histories/compare-histories.js'
export {
  openHistories,
  type Histories,
  type HistoryProvider,
  type TransactionProvider,
} from './histories/open-histories.js'
export { openTransactionSource } from './transactions/open-transaction-source.js'
export type {
  AskedMovements,
  StatedMovement,
  ToldMovements,
  TransactionSource,
  TransactionWord,
} from './transactions/transaction-source.js'
export { openHistorySource } from './histories/open-history-source.js'
export { endpointOf, openChainData, type ChainData, type ChainQuestion } from './open-chain-data.js'
export { ProviderError } from './provider-error.js'
export { landmarks, type Landmark } from './chain-identity.js'
export {
  openConnections,
  openProviderHttp,
  readText,
  type Endpoint,
  type ProviderHttp,
} from './provider-http.js'
export { describePublicProviders, publicProviders } from './public-endpoints.js'
export { stillTronContracts, tronFailures } from './tron-words.js'
