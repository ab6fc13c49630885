export { checkedReason, createAccount, listAccounts, MAX_NAME_LENGTH } from './accounts.js'
export type { Account } from './accounts.js'
export { createAdmission } from './admission.js'
export type {
  AccessCall,
  Admission,
  AdmissionGate,
  AdmissionOptions,
  Admitted,
  Caller,
  NotAdmitted,
  RefusalReason,
} from './admission.js'
export { MAX_FAILURES_PER_MINUTE } from './auth-failures.js'
export {
  forgetOldReservations,
  forgetReservation,
  IDEMPOTENCY_KEEP_MS,
  releaseReservation,
  restartReservation,
} from './idempotency.js'
export type { IdempotentRequest, Reservation, ReservationKind } from './idempotency.js'
export { loadInstallationSecrets, type InstallationSecrets } from './installation-secrets.js'
export { clientNetwork, normaliseIp, parseIpRange } from './ip-range.js'
export type { IpRange } from './ip-range.js'
export {
  AccessRefusal,
  issueKey,
  listKeys,
  revokeKey,
  ROTATION_OVERLAP_MS,
  rotateKey,
  validKeys,
} from './keys.js'
export type { ApiKey, IssuedKey, KeyOrder } from './keys.js'
export { accessMigrations } from './migrations.js'
export {
  forgetPendingScreens,
  isPendingScreen,
  listPendingScreens,
  notePendingScreens,
} from './pending-screens.js'
export type { PendingScreen } from './pending-screens.js'
export type { RateLimit } from './plan-table.js'
export { takeReportNumbers } from './report-numbers.js'
