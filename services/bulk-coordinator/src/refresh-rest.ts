/** Time between two readings of what other coordinators changed in the jobs of this one. */
import { PACE_INTERVAL_MS } from './pace.js'

/** The rest while screenings are under way; otherwise PACE_INTERVAL_MS. */
const REFRESH_INTERVAL_MS = 50
/** The rest is at least this many times as long as the reading. */
const REFRESH_REST_FACTOR = 10
/** A reading that took long says little about the next one: the database may have stood still. */
export const LONGEST_REFRESH_REST_MS = 2_000

/** `tookMs`: the time of the last reading. Returns the rest after it in milliseconds. */
export function refreshRestMs(tookMs: number, isUnderWay: boolean): number {
  const wantedMs = isUnderWay ? REFRESH_INTERVAL_MS : PACE_INTERVAL_MS
  return Math.min(Math.max(wantedMs, tookMs * REFRESH_REST_FACTOR), LONGEST_REFRESH_REST_MS)
}
