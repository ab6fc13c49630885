export type { ChainTransaction, Movement, OwnedAmount } from './chain-transaction.js'
