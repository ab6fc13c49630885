/** The retry times of a delivery: ten attempts over about three days, later if the receiver asks for it. */

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Delay after the first, second … failed attempt. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
/** Each delay is drawn from this share around it, so that deliveries that failed together are not retried together. */
export const JITTER_SHARE = 0.2
/** A Retry-After lengthens a delay to this at most. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR_MS

/** Milliseconds until the next attempt, or null if there is none. `lot`: from 0 up to 1, drawn by the caller. */
export function retryDelayMs({
  failedAttempts,
  retryAfterMs,
  lot,
}: {
  readonly failedAttempts: number
  readonly retryAfterMs: number | null
  readonly lot: number
}): number | null {
  const step = RETRY_DELAYS_MS[failedAttempts - 1]
  if (step === undefined) return null
  const jittered = step * (1 + JITTER_SHARE * (2 * lot - 1))
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)))
}

/** The delay of a Retry-After header in milliseconds, from seconds or a date (RFC 9110, section 10.2.3); null if it states neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * SECOND_MS
  // The one form that senders may use; Date.parse by itself would accept almost anything as a date.
  if (!/^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/.test(header))
    return null
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
