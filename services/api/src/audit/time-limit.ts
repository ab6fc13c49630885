/**
 * One limit for many pieces of work. They may all take equally long, so they pass it in the order they came, and one timer,
 * for the oldest, watches them all: a timer and a race for each cost more than recording a call did.
 */

export const TOO_LATE = Symbol('too late')

/** Settles as the work does, or with TOO_LATE at the limit: what comes after it is nobody's any more, an error included. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T | typeof TOO_LATE>

interface Waiting {
  readonly sinceMs: number
  readonly giveUp: () => void
}

export function createTimeLimit(limitMs: number): TimeLimit {
  const waiting = new Set<Waiting>()
  let isWatched = false

  const watchOldest = (inMs: number): void => {
    isWatched = true
    setTimeout(look, Math.ceil(inMs)).unref()
  }
  const look = (): void => {
    isWatched = false
    const late = performance.now() - limitMs
    for (const entry of waiting) {
      if (entry.sinceMs > late) return watchOldest(entry.sinceMs - late)
      waiting.delete(entry)
      entry.giveUp()
    }
  }

  return <T>(work: Promise<T>) =>
    new Promise<T | typeof TOO_LATE>((resolve, reject) => {
      const entry: Waiting = { sinceMs: performance.now(), giveUp: () => resolve(TOO_LATE) }
      waiting.add(entry)
      if (!isWatched) watchOldest(limitMs)
      work.then(
        (result) => {
          waiting.delete(entry)
          resolve(result)
        },
        (error: unknown) => {
          waiting.delete(entry)
          reject(error instanceof Error ? error : new Error(String(error)))
        },
      )
    })
}
