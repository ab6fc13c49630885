/** The health of an installation, as far as its database and its log tell of it. */
export { missingServices } from './missing-services.js'
export {
  readLag,
  readStandstills,
  RESTORE_GROUP,
  standstillLooks,
  type Standstill,
  type StandstillParts,
} from './standstills.js'
export { readDeadLetters } from './dead-letters.js'
export { readLaggingReplicas, readWaiting } from './waiting-work.js'
