/** Counts what is under way and lets more in only while there is room. */
export interface InFlight {
  /** Resolves as soon as less than the limit is under way. */
  room(): Promise<void>
  /** Counts `amount` until the work has settled; the work reports its own failure. */
  add(amount: number, work: Promise<void>): void
  count(): number
  /** Resolves when nothing is under way. */
  empty(): Promise<void>
}

export function createInFlight(limit: number): InFlight {
  let count = 0
  let waiting: { readonly below: number; readonly resolve: () => void }[] = []
  const wake = (): void => {
    const ready = waiting.filter(({ below }) => count < below)
    waiting = waiting.filter(({ below }) => count >= below)
    for (const { resolve } of ready) resolve()
  }
  const below = (mark: number): Promise<void> =>
    count < mark ? Promise.resolve() : new Promise((resolve) => waiting.push({ below: mark, resolve }))
  return {
    room: () => below(limit),
    add(amount, work) {
      count += amount
      const settled = (): void => {
        count -= amount
        wake()
      }
      work.then(settled, settled)
    },
    count: () => count,
    empty: () => below(1),
  }
}
