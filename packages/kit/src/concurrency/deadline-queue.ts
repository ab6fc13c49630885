/**
 * Reports entries whose time is over. One timer serves any number of entries: it is set for the earliest deadline and is not touched when
 * an entry is deleted. Entries with equal limits expire in the order in which they were added. Each distinct limit therefore is a queue of
 * its own, and no entry is ever searched for.
 */
export interface DeadlineQueue<T> {
  /** Reports the entry once, `limitMs` from now. An entry must not be added again before it was deleted or reported. */
  add(entry: T, limitMs: number): void
  /** Does nothing if the entry was already reported. */
  delete(entry: T): void
  readonly size: () => number
  /** Forgets all entries and stops the timer. */
  close(): void
}

/**
 * `onExpired` is called with all entries that are due at that moment, the earliest deadline first. It must not throw, and may add and
 * delete entries. The timer does not keep the process alive.
 */
export function createDeadlineQueue<T>(onExpired: (entries: readonly T[]) => void): DeadlineQueue<T> {
  /** For each limit its entries and their deadlines, the earliest first. */
  const queues = new Map<number, Map<T, number>>()
  let timer: NodeJS.Timeout | null = null
  let timerDueMs = Infinity

  function setTimer(dueMs: number, nowMs: number): void {
    if (timer !== null) clearTimeout(timer)
    timerDueMs = dueMs
    timer = setTimeout(look, Math.ceil(Math.max(0, dueMs - nowMs))).unref()
  }

  function look(): void {
    timer = null
    timerDueMs = Infinity
    const nowMs = performance.now()
    const expired: { readonly entry: T; readonly dueMs: number }[] = []
    let nextDueMs = Infinity
    for (const [limitMs, entries] of queues) {
      for (const [entry, dueMs] of entries) {
        if (dueMs > nowMs) {
          nextDueMs = Math.min(nextDueMs, dueMs)
          break
        }
        entries.delete(entry)
        expired.push({ entry, dueMs })
      }
      if (entries.size === 0) queues.delete(limitMs)
    }
    if (nextDueMs < Infinity) setTimer(nextDueMs, nowMs)
    if (expired.length === 0) return
    onExpired(expired.sort((one, other) => one.dueMs - other.dueMs).map(({ entry }) => entry))
  }

  return {
    add(entry, limitMs) {
      const nowMs = performance.now()
      const dueMs = nowMs + limitMs
      let entries = queues.get(limitMs)
      if (entries === undefined) queues.set(limitMs, (entries = new Map()))
      entries.set(entry, dueMs)
      if (dueMs < timerDueMs) setTimer(dueMs, nowMs)
    },
    delete(entry) {
      for (const entries of queues.values()) if (entries.delete(entry)) return
    },
    size() {
      let size = 0
      for (const entries of queues.values()) size += entries.size
      return size
    },
    close() {
      queues.clear()
      if (timer !== null) clearTimeout(timer)
      timer = null
      timerDueMs = Infinity
    },
  }
}
