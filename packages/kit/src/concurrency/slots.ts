import { createFairQueue } from './fair-queue.js'

/**
 * Runs at most `count` pieces of work at once. Owners take turns; of one owner urgent work goes first, otherwise in the order in which it came.
 * Work without an owner has one owner in common. What is last begins while nothing else waits, of whatever owner.
 */
export type Slots = <T>(
  work: () => Promise<T>,
  options?: { readonly isUrgent?: boolean; readonly isLast?: boolean; readonly owner?: string },
) => Promise<T>

export function createSlots(count: number): Slots {
  const [waiting, last] = [createFairQueue<() => void>(), createFairQueue<() => void>()]
  let free = count
  return async (work, { isUrgent = false, isLast = false, owner = '' } = {}) => {
    const queue = isLast ? last : waiting
    if (free === 0) await new Promise<void>((resolve) => queue.add(owner, resolve, { isUrgent }))
    else free -= 1
    try {
      return await work()
    } finally {
      // The slot is handed over directly: a call that comes before the next one has begun must not take it.
      const next = waiting.next() ?? last.next()
      if (next === undefined) free += 1
      else next()
    }
  }
}
