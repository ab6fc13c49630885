export { personalDataMigrations } from './migrations.js'
export {
  addMasterKey,
  ensureMasterKeys,
  PersonalDataKeysError,
  readMasterKeys,
  removeOldMasterKeys,
} from './master-keys.js'
export { ERASED, type AccountSeal } from './account-seal.js'
export {
  noPersonalDataKeys,
  openPersonalData,
  openValue,
  type PersonalData,
  type PersonalDataOptions,
} from './personal-data.js'
export { keyIdOf, keyIdsIn, maySeal, type OpenedText } from './sealed-text.js'
export {
  endRetention,
  eraseAccount,
  eraseReference,
  findErasures,
  replayErasure,
  type Erasure,
  type ErasureOrder,
  type ReferenceOrder,
} from './erase.js'
export { holdsPlainData, holdsText, personalMembers } from './personal-fields.js'
export { rotateMasterKey, type Rotation } from './rotate-master-key.js'
export { KEYS_REFRESH_MS } from './memory.js'
