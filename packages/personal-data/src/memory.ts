/** What a process remembers of the keys: bounded, read again soon, and used longer only while the database is away. */
import { isUnavailable } from '@cupel/postgres'

/** How soon every process follows the destruction of a key. */
export const KEYS_REFRESH_MS = 10_000
/** Without a database what is of this age still counts. */
const MAX_STALE_MS = 300_000
/** Of each kind; the oldest go first. */
const MAX_REMEMBERED = 10_000

export interface Memory<T> {
  /** Undefined where nothing is known, or not since a short time ago. */
  fresh(name: string): T | undefined
  remember(name: string, value: T): T
  /** What was known before, where the error is that the database is away; throws the error otherwise. */
  staleOr(name: string, error: unknown): T
}

export function createMemory<T>(nowMs: () => number): Memory<T> {
  const known = new Map<string, { readonly value: T; readonly readMs: number }>()
  return {
    fresh(name) {
      const found = known.get(name)
      // A clock that was set back makes nothing fresh.
      return found !== undefined && Math.abs(nowMs() - found.readMs) < KEYS_REFRESH_MS
        ? found.value
        : undefined
    },
    remember(name, value) {
      known.delete(name)
      known.set(name, { value, readMs: nowMs() })
      // The oldest are the first ones.
      for (const [oldest, { readMs }] of known)
        if (known.size > MAX_REMEMBERED || nowMs() - readMs >= MAX_STALE_MS) known.delete(oldest)
        else break
      return value
    },
    staleOr(name, error) {
      const found = known.get(name)
      if (found !== undefined && isUnavailable(error) && nowMs() - found.readMs < MAX_STALE_MS)
        return found.value
      throw error
    },
  }
}
