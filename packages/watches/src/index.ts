export { countWatchesOfReference, endWatches, endWatchesOfReference } from './end-watches.js'
export { createWatches, newBatchId, sweepBatches } from './create-watches.js'
export type { NewWatch } from './create-watches.js'
export { hundredths } from './decide-change.js'
export type { Finding } from './decide-change.js'
export { listDueWatches, markPending } from './due.js'
export type { DueWatch } from './due.js'
export { FULL_PASS_LATE_MS, fullPassAgeMs, goOnWithFullPass } from './full-pass.js'
export { countUnread, inboxKinds, listInbox, markEntries } from './inbox.js'
export type { InboxEntry, InboxReader, Unread } from './inbox.js'
export {
  DEFAULT_THRESHOLD,
  MAX_REFERENCE_LENGTH,
  MAX_THRESHOLD,
  MAX_WATCHES_PER_CALL,
  MIN_THRESHOLD,
} from './limits.js'
export { lookAtWatches } from './look.js'
export { watchesMigrations } from './migrations.js'
export { lookForNews } from './progress.js'
export { findBatch, getWatch, listWatches } from './queries.js'
export type { WatchPage } from './queries.js'
export type { FindTouched } from './touched.js'
export { removeWatch } from './remove-watch.js'
export { replayReportChange, replayWatches, replayWatchRemoval } from './replay-watches.js'
export { settleWatches } from './settle.js'
export type { FoundChange, ReportAt, Settled, SplitChanges, SplitMissing, Splitting } from './settle.js'
export { MAX_DIGEST_ITEMS, replayDigest, writeDigests } from './write-digests.js'
export type { Actor, Owner, Watch } from './watch.js'
