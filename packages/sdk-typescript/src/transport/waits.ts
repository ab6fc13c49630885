import { ApiError } from '../errors.js'

const FIRST_MS = 500
const LONGEST_MS = 8_000

/**
 * Milliseconds before the next attempt: a random part of a span that doubles with each attempt, so that clients that failed
 * together do not return together. It is never less than the service requests.
 */
export function waitBefore(attempt: number, error: Error, { random }: { random: () => number }): number {
  const jitterMs = Math.round(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)))
  const askedMs = error instanceof ApiError ? Math.ceil((error.retryAfter ?? 0) * 1_000) : 0
  return Math.max(askedMs, jitterMs)
}

/**
 * Seconds that `Retry-After` requests; null if it is missing or unreadable. A date counts from the `Date` of the same answer,
 * because the clocks of both sides may differ; if that is missing, from `nowMs`.
 */
export function retryAfterOf(headers: Headers, nowMs: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = httpDate(text)
  if (at === null) return null
  const from = httpDate(headers.get('date') ?? '') ?? nowMs
  return Math.max(0, Math.ceil((at - from) / 1_000))
}

/** Only the form that HTTP requires; Date.parse by itself accepts too much, such as "1.5". */
function httpDate(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
