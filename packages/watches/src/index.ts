export { countWatchesOfReference, endWatches, endWatchesOfReference } from './end-watches.js'
export { createWatches, newBatchId, sweepBatches } from './create-watches.js'
export type { CreateWatchesResult, NewWatch, NewWatches } from './create-watches.js'
export { hundredths, isChange } from './decide-change.js'
export type { Finding } from './decide-change.js'
export { listDueWatches, markPending, MAX_UNDER_WAY } from './due.js'
export type { DueWatch } from './due.js'
export {
  DEFAULT_THRESHOLD,
  MAX_REFERENCE_LENGTH,
  MAX_THRESHOLD,
  MAX_WATCHES_PER_CALL,
  MIN_THRESHOLD,
} from './limits.js'
export { lookAtWatches } from './look.js'
export type { WatchWork } from './look.js'
export { watchesMigrations } from './migrations.js'
export { lookForNews } from './progress.js'
export { findBatch, getWatch, listWatches } from './queries.js'
export type { WatchCursor, WatchPage } from './queries.js'
export { removeWatch } from './remove-watch.js'
export { replayReportChange, replayWatches, replayWatchRemoval } from './replay-watches.js'
export { settleWatches } from './settle.js'
export type {
  FoundChange,
  LogPlace,
  ReportAt,
  ScoreSplit,
  Settled,
  SplitChanges,
  SplitMissing,
  Splitting,
} from './settle.js'
export type { WatchCause, WatchedState } from './touched.js'
export { FAILING_AFTER, MAX_DIGEST_ITEMS, replayDigest, writeDigests } from './write-digests.js'
export type { DigestTime } from './write-digests.js'
export type { Actor, LastReport, Owner, Watch, WatchStatus } from './watch.js'
