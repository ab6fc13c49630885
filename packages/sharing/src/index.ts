export { sharingTables } from './primary-tables.js'
export { SHARE_TOKEN } from './share-token.js'
export {
  createShare,
  DEFAULT_EXPIRY_HOURS,
  listShares,
  MAX_EXPIRY_HOURS,
  MAX_LABEL_LENGTH,
  MAX_USABLE_SHARES,
  revokeShare,
  type Actor,
  type Owner,
  type Share,
} from './shares.js'
export { findUsableShare, MAX_OPENS_PER_MINUTE, openShare } from './openings.js'
