export { personalDataMigrations } from './migrations.js'
export { ensureMasterKeys } from './master-keys.js'
export { ERASED, type AccountSeal } from './account-seal.js'
export { noPersonalDataKeys, openPersonalData, openValue, type PersonalData } from './personal-data.js'
export { keyIdOf, keyIdsIn, maySeal } from './sealed-text.js'
export {
  endRetention,
  eraseAccount,
  eraseReference,
  findErasures,
  replayErasure,
  type Erasure,
} from './erase.js'
export { holdsPlainData, holdsText, personalMembers } from './personal-fields.js'
export { rotateMasterKey } from './rotate-master-key.js'
export { KEYS_REFRESH_MS } from './memory.js'
