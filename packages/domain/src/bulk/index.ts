export { countsOf, evolveJob, isDone, markOf, nothingKnownOfJob } from './bulk-job.js'
export { CANCELLED, COMPLETED, FAILED, OPEN } from './bulk-job.js'
export type { BulkCounts, BulkEnd, BulkEvent, BulkJob, BulkStatus, ItemMark } from './bulk-job.js'
export { decideCancellation, decideCompletion, failedJob, judgeItems, MAX_BULK_ITEMS } from './decide-bulk.js'
export type { Cancellation, JudgedItem } from './decide-bulk.js'
export { firstRound, QUANTUM_ITEMS, shareRoom } from './fair-share.js'
export type { Allotment, Queue, RoundState } from './fair-share.js'
export {
  GUARANTEED_SHARE,
  INITIAL_WINDOW_ITEMS,
  MAX_WINDOW_ITEMS,
  MIN_WINDOW_ITEMS,
  nextWindow,
} from './release-window.js'
export type { WindowReading } from './release-window.js'
