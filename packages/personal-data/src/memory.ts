/** The keys that a process remembers. Their number is bounded. They are read again soon, and later only if the database is away. */
import { isUnavailable } from '@cupel/postgres'

/** Every process notices the destruction of a key within this time. */
export const KEYS_REFRESH_MS = 10_000
/** While the database is away, entries up to this age are still used. */
const MAX_STALE_MS = 300_000
/** Limit for each kind; the oldest entries are removed first. */
const MAX_REMEMBERED = 10_000

export interface Memory<T> {
  /** Undefined if nothing is known, or if it was read too long ago. */
  fresh(name: string): T | undefined
  remember(name: string, value: T): T
  /** Returns the remembered value if the error says that the database is away; otherwise throws the error. */
  staleOr(name: string, error: unknown): T
}

export function createMemory<T>(nowMs: () => number): Memory<T> {
  const known = new Map<string, { readonly value: T; readonly readMs: number }>()
  return {
    fresh(name) {
      const found = known.get(name)
      // If the clock was set back, an entry does not become fresh.
      return found !== undefined && Math.abs(nowMs() - found.readMs) < KEYS_REFRESH_MS
        ? found.value
        : undefined
    },
    remember(name, value) {
      known.delete(name)
      known.set(name, { value, readMs: nowMs() })
      // The map holds the oldest entries first.
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
