export {
  countsOf,
  evolveJob,
  isDone,
  markOf,
  nothingKnownOfJob,
  CANCELLED,
  COMPLETED,
  FAILED,
  OPEN,
  type BulkCounts,
  type BulkEnd,
  type BulkEvent,
  type BulkJob,
  type BulkStatus,
} from './bulk-job.js'
export {
  type AskedItem,
  decideCancellation,
  decideCompletion,
  failedJob,
  judgeItems,
  MAX_BULK_ITEMS,
} from './decide-bulk.js'
export { firstRound, shareRoom, type Queue, type RoundState } from './fair-share.js'
export { INITIAL_WINDOW_ITEMS, MIN_WINDOW_ITEMS, nextWindow } from './release-window.js'
