/** Watches that one call makes. */
export const MAX_WATCHES_PER_CALL = 1_000
export const MAX_REFERENCE_LENGTH = 128
/** Points by which the score must move where a watch names no other number. */
export const DEFAULT_THRESHOLD = 10
export const MIN_THRESHOLD = 0.01
export const MAX_THRESHOLD = 100
/** A repeat under an Idempotency-Key is answered for a day; the answer is kept for two. */
export const KEEP_BATCHES_MS = 2 * 24 * 3_600_000
/** Of the watches that one change touches, one becomes due after the other so far apart... */
export const TURN_MS = 300
/** ...and the last one this long after the first at most, however many they are. */
export const ALL_TURNS_MS = 30_000
