/** Checkpoints of the log: signed, chained, and stored where the database cannot change them (docs/adr/0318). */
export { acceptShorter, type AcceptShorterOptions } from './accept-shorter.js'
export { adoptLog, type AdoptedLog, type AdoptLogOptions } from './adopt-log.js'
export { adoptRestoredLog, type AdoptRestoredLogOptions } from './adopt-restored-log.js'
export { checkpointFile, CheckpointsStoppedError } from './checkpoint-files.js'
export { compareLog, type CompareOptions, type LogComparison } from './compare-log.js'
export type { Difference, PartitionComparison } from './compare-partition.js'
export { lostRecords } from './lost-records.js'
export { makeCheckpoint, type Made, type MakeParts } from './make-checkpoint.js'
export { checkpointsMigrations } from './migrations.js'
export { openHistory, requireSameEnds, type History, type HistoryParts } from './open-history.js'
export { publishKeys, unpublishedKeys } from './publish-keys.js'
export { leafOf } from './record-leaf.js'
export {
  startCheckpoints,
  type CheckpointSettings,
  type CheckpointsOptions,
  type RunningCheckpoints,
} from './run-checkpoints.js'
export {
  openReportSigner,
  readReportSigningKeys,
  REPORT_SIGNING_KEYS_FILE,
  reportSigningKeysFile,
  type ReportSigningConfig,
} from './reports/report-signing.js'
export { retireReportKey, type RetireKeyOptions } from './reports/retire-key.js'
export {
  loadSignaturesRequired,
  requireSignatures,
  stopRequiringSignatures,
  type SignaturesRequired,
} from './reports/signatures-required.js'
export {
  CHECKPOINTS_FOLDER,
  CheckpointConfigError,
  checkpointSettings,
  SIGNING_KEYS_FILE,
  signingKeysFile,
  type CheckpointConfig,
} from './settings.js'
export type { Acceptance, Extension, Statement } from './statement.js'
