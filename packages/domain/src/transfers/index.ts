export {
  readTransfer,
  type ReadTransfer,
  type StatedTransfer,
  type TransferRefusal,
} from './read-transfer.js'
export {
  completeTerms,
  severalTransfers,
  termsOf,
  type Movement,
  type TermsOutcome,
} from './transfer-terms.js'
