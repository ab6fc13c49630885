export {
  demoAddresses,
  demoNeighbourhood,
  isDemoAddress,
  isExaminedInDemo,
  withoutDemo,
} from './demo-ledger.js'
