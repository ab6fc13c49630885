/** Maximum number of watches that one call makes. */
export const MAX_WATCHES_PER_CALL = 1_000
export const MAX_REFERENCE_LENGTH = 128
/** Points by which the score must move if a watch names no other number. */
export const DEFAULT_THRESHOLD = 10
export const MIN_THRESHOLD = 0.01
export const MAX_THRESHOLD = 100
/** A repeat under an Idempotency-Key is answered for a day; the answer is kept for two. */
export const KEEP_BATCHES_MS = 2 * 24 * 3_600_000
/** Maximum time between the due times of two watches that one change affects... */
export const TURN_MS = 300
/** ...and the maximum time between the first and the last, whatever their number. */
export const ALL_TURNS_MS = 30_000
/** A watch counts as failing after this number of consecutive screenings without a report. */
export const FAILING_AFTER = 3
