/** Runs at most `count` pieces of work at once: urgent ones first, otherwise in the order in which they came. */
export type Slots = <T>(work: () => Promise<T>, options?: { readonly isUrgent?: boolean }) => Promise<T>

export function createSlots(count: number): Slots {
  const urgent: (() => void)[] = []
  const others: (() => void)[] = []
  let free = count
  return async (work, { isUrgent = false } = {}) => {
    if (free === 0) await new Promise<void>((resolve) => (isUrgent ? urgent : others).push(resolve))
    else free -= 1
    try {
      return await work()
    } finally {
      // The slot is handed over directly: a call that comes before the next one has begun must not take it.
      const next = urgent.shift() ?? others.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
