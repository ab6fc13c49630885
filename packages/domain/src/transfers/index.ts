export { readTransfer, type ReadTransfer } from './read-transfer.js'
export {
  completeTerms,
  severalTransfers,
  termsOf,
  type Movement,
  type TermsOutcome,
} from './transfer-terms.js'
