export {
  checkedReason,
  createAccount,
  listAccountPage,
  listAccounts,
  setAsksProviders,
  writeAccessEvent,
} from './accounts.js'
export {
  createAdmission,
  type Admission,
  type AdmissionGate,
  type Admitted,
  type Caller,
  type NotAdmitted,
  type RefusalReason,
} from './admission.js'
export {
  forgetOldReservations,
  forgetReservation,
  releaseReservation,
  restartReservation,
  type IdempotentRequest,
  type Reservation,
} from './idempotency.js'
export { loadInstallationSecrets } from './installation-secrets.js'
export { accountExists, forgetAccount } from './forget-account.js'
export { keyHolder } from './key-holder.js'
export {
  AccessRefusal,
  changeKey,
  changeKeyIn,
  issueKey,
  issueKeyIn,
  MAX_ISSUED_KEYS,
  MAX_WORKING_KEYS,
  revokeKey,
  ROTATION_OVERLAP_MS,
  rotateKey,
  rotateKeyIn,
  type IssuedKey,
  type KeyChange,
  type KeyOrder,
} from './keys.js'
export { listSignedIn, presentKeys, signedInPeople, type PresentKey } from './present-keys.js'
export { findKey, keyRightsDigest, listKeyPage, listKeys, validKeys, type ApiKey } from './key-rows.js'
export { admitJob, type JobStanding } from './open-jobs.js'
export { accessMigrations } from './migrations.js'
export { forgetSpentIdTokens, signInKeys, spendIdToken, type SignInKey } from './person-sign-in.js'
export {
  forgetPendingScreens,
  isPendingScreen,
  listPendingScreens,
  notePendingScreens,
  type LateScreen,
  type PendingScreen,
} from './pending-screens.js'
export type { RateLimit } from './plan-table.js'
export {
  endEverySession,
  isKeyKnown,
  replayAccount,
  replayKeyChange,
  replayAccountChange,
  replayRevocation,
} from './replay-access.js'
export { databaseBehindLog } from './report-numbers/behind-log.js'
export {
  recordedReportPartitions,
  recordReportPartitions,
  useRecordedReportPartitions,
} from './report-numbers/report-partitions.js'
export { claimReportEpoch, highestReportEpoch, passReportEpoch } from './report-numbers/epoch.js'
export { openReportNumbers, type TakeReportNumbers } from './report-numbers/report-numbers.js'
export { createReportIds, type ReportIds } from './report-numbers/report-ids.js'
export { createReportNames, type NameReports } from './report-numbers/report-id-cipher.js'
export {
  beginSession,
  endSession,
  forgetEndedSessions,
  MAX_SESSIONS_PER_KEY,
  type IssuedSession,
} from './sessions.js'
