export { createWatches, newBatchId, sweepBatches, type NewWatch } from './create-watches.js'
export { hundredths } from './decide-change.js'
export { listDueWatches, markPending, type DueWatch } from './due.js'
export { fullPassAgeMs, goOnWithFullPass } from './full-pass.js'
export {
  countUnread,
  inboxKinds,
  listInbox,
  markEntries,
  type InboxEntry,
  type InboxReader,
  type Unread,
} from './inbox.js'
export {
  DEFAULT_THRESHOLD,
  MAX_REFERENCE_LENGTH,
  MAX_THRESHOLD,
  MAX_WATCHES_PER_CALL,
  MIN_THRESHOLD,
} from './limits.js'
export { lookAtWatches } from './look.js'
export { watchesTables } from './primary-tables.js'
export { lookForNews } from './progress.js'
export { findBatch, getWatch, listWatches } from './queries.js'
export type { FindTouched } from './touched.js'
export { markWatchesOf } from './watches-of-address.js'
export { watchStandstills } from './standstills.js'
export { removeWatch } from './remove-watch.js'
export {
  settleWatches,
  type FoundChange,
  type ReportAt,
  type SplitChanges,
  type SplitMissing,
  type Splitting,
} from './settle.js'
export { MAX_DIGEST_ITEMS, replayDigest, writeDigests } from './write-digests.js'
export type { Actor, Owner, Watch } from './watch.js'
