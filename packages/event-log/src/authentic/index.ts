export { openAuthenticLog, RECORD_KEYS_REFRESH_MS, type AuthenticLog } from './authentic-log.js'
export { createForgeryCheck, type ForgeryCheck } from './forgery.js'
export { readAuthentic } from './read-authentic.js'
export {
  addRecordKey,
  ensureRecordKeys,
  readRecordKeys,
  RecordKeysError,
  useRecordKey,
  type RecordKeys,
} from './record-keys.js'
export { areRecordKeysRegistered, registerRecordKeys } from './registered-keys.js'
export { MAC_HEADER, withMac } from './record-mac.js'
export { signedLog } from './signed-log.js'
