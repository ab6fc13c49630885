/** Proofs over the log: that it is well-formed, and that every report follows from its recorded inputs. */
export {
  readStoredReports,
  type ReadingProgress,
  type ReportRange,
  type StoredReport,
} from './stored-reports.js'
export { recomputeLevels, type RecomputeLevel, type RangeTally } from './range-tally.js'
export {
  CannotResumeError,
  recomputeReports,
  type RecomputeResult,
  type RecomputeState,
} from './recompute-reports.js'
export { readErasures, type Erasure } from './erasures.js'
export {
  createRangeDecider,
  type RangeDecider,
  type RangeQuestion,
  type RangeSource,
} from './recompute-range.js'
export { readReportsAt, type ReportPlace } from './reports-at.js'
export { MissingSharedInputError, openSharedInputs, type SharedInputsReader } from './shared-inputs.js'
export { screenAsOf, type AsOfScreening } from './as-of/screen-as-of.js'
export { createPastSource, InputsDifferError, type NotYet, type PastSource } from './as-of/past-state.js'
export { verifyLog, type DonePartition, type VerifyResult } from './verify-log.js'
export {
  createPartitionVerifier,
  type PartitionPiece,
  type VerifiedPartition,
  type VerifyPartition,
} from './verify-partition.js'
export type { SignatureSummary } from './report-signatures.js'
export { compareLatestReports } from './compare-latest-reports.js'
export { compareReadModel, compareReadModels, differenceOf } from './compare-read-models.js'
export { meaningOfProblem, placeOfProblem, problemAt, problemOfRow, type Problem } from './problem.js'
