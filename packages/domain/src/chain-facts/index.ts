export type { ChainTransaction, Movement, OwnedAmount, SpentAndCreated } from './chain-transaction.js'
