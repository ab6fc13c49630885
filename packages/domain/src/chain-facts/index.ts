export type { ChainTransaction, Movement, OwnedAmount, SpentAndCreated } from './chain-transaction.js'
export { countedTransfers } from './counted-transfers.js'
