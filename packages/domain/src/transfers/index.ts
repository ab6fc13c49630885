export {
  readTransfer,
  type ReadTransfer,
  type StatedTransfer,
  type TransferRefusal,
} from './read-transfer.js'
export { termsOf, type Movement, type TermsOutcome } from './transfer-terms.js'
