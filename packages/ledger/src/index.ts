export { readAddressFilter, type AddressFilter } from './address-filter.js'
export {
  forgetOldProgress,
  historyProgress,
  tellHistoryProgress,
  TOLD_EVERY_MS,
  type HistoryProgress,
  type ToldProgress,
} from './history-progress.js'
export {
  addressHistories,
  DISAGREEMENT,
  hasHistories,
  isJoint,
  jointName,
  UNCONFIRMED,
  type ReadHistory,
} from './address-histories.js'
export { busiestAddresses } from './busiest-addresses.js'
export { readClusterFacts } from './cluster-facts.js'
export { compareLedger, compareRows } from './compare-ledger.js'
export { createLedgerCheck, type CheckedLedgerDeps } from './checked-ledger.js'
export type { CheckedLedger } from './kept-comparison.js'
export { keepComparison } from './kept-comparison.js'
export { currentLedger, ledgerChains } from './current-ledger.js'
export { findMovements } from './find-movements.js'
export { historyKinds } from './declared-range.js'
export { examineAddress, type Searched } from './examine-address.js'
export {
  followedSegments,
  followerFault,
  forgetFollower,
  listFollowers,
  tellFollower,
  type Follower,
  type SeenFollower,
} from './followers.js'
export { addressesOfScript } from './formats/script-address.js'
export { ledgerFormatNames } from './formats/formats.js'
export { takeHistoryCall, type HistoryCallLimits } from './history-calls.js'
export { importLedger } from './import-ledger.js'
export type { LedgerImportRequest, LedgerImportSummary } from './import-request.js'
export { addressesOfOwner } from './owners.js'
export { createKnownTransfers } from './known-transfers.js'
export { isPriceTableKnown, isSegmentKnown } from './known-imports.js'
export { listImports, type ImportState } from './list-imports.js'
export { ledgerMigrations } from './migrations.js'
export { readLedgerOverview, type KindOverview, type LedgerOverview } from './overview.js'
export type { Pace } from './pace.js'
export { importPrices } from './prices/import-prices.js'
export {
  listEarlyEnds,
  listPriceImports,
  PriceTableAlteredError,
  pricesSha256At,
  readPriceTable,
  type EarlyEnd,
  type PriceImport,
} from './prices/read-prices.js'
export { latestPrice } from './prices/latest-price.js'
export { mayHaveProvider, noteProvidedChains } from './provided-chains.js'
export { leftOut } from './segment-event.js'
export { stateLedgerAgain } from './publish-segment.js'
export { readTransfers, type TransfersOfAddress } from './read-transfers.js'
export {
  declaredRanges,
  hasSegmentsUpTo,
  heightsDeclaredFor,
  LEDGER_LOOK_INTERVAL_MS,
  ledgerSeqAt,
  listSegments,
  type HeightRange,
  type Segment,
} from './segments.js'
export type { KnownSizes } from './sizes.js'
export { ledgerStoreFault } from './store-fault.js'
export { prepareTransferStore, transferStoreState } from './store/prepare.js'
export { addressesReaching, touchedAddresses, type TouchRequest } from './touched-addresses.js'
