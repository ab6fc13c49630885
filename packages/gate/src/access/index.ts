export {
  checkedReason,
  createAccount,
  listAccountPage,
  listAccounts,
  MAX_NAME_LENGTH,
  setAsksProviders,
} from './accounts.js'
export type { Account } from './accounts.js'
export { createAdmission } from './admission.js'
export type {
  AccessCall,
  Admission,
  AdmissionGate,
  Admitted,
  Caller,
  NotAdmitted,
  RefusalReason,
} from './admission.js'
export {
  forgetOldReservations,
  forgetReservation,
  releaseReservation,
  restartReservation,
} from './idempotency.js'
export type { IdempotentRequest, Reservation } from './idempotency.js'
export { loadInstallationSecrets, type InstallationSecrets } from './installation-secrets.js'
export { accountExists, forgetAccount } from './forget-account.js'
export { keyHolder } from './key-holder.js'
export { clientNetwork, normaliseIp, parseIpRange } from '@cupel/http-edge'
export type { IpRange } from '@cupel/http-edge'
export { AccessRefusal, changeKey, issueKey, revokeKey, ROTATION_OVERLAP_MS, rotateKey } from './keys.js'
export type { IssuedKey, KeyChange, KeyOrder } from './keys.js'
export { presentKeys, signedInPeople } from './present-keys.js'
export type { PresentKey, SignedInPerson } from './present-keys.js'
export { findKey, listKeyPage, listKeys, validKeys, type ApiKey } from './key-rows.js'
export { admitJob } from './open-jobs.js'
export type { JobStanding } from './open-jobs.js'
export { accessMigrations } from './migrations.js'
export { forgetSpentIdTokens, signInKeys, spendIdToken } from './person-sign-in.js'
export type { SignInKey } from './person-sign-in.js'
export {
  forgetPendingScreens,
  isPendingScreen,
  listPendingScreens,
  notePendingScreens,
} from './pending-screens.js'
export type { LateScreen, PendingScreen } from './pending-screens.js'
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
export { beginSession, endSession, forgetEndedSessions, MAX_SESSIONS_PER_KEY } from './sessions.js'
export type { IssuedSession } from './sessions.js'
