/** Counts the records whose work is not finished, and admits more while there is room. */
export interface InFlight {
  /** Undefined if there is room; otherwise a promise that resolves as soon as there is. */
  room(): Promise<void> | undefined
  /** Counts `amount` until the work has settled. The work must not reject. */
  add(amount: number, work: Promise<void>): void
  /** Resolves when nothing is in flight. */
  empty(): Promise<void>
}

export function createInFlight(limit: number, onChange?: (count: number) => void): InFlight {
  let count = 0
  let waiting: { readonly below: number; readonly resolve: () => void }[] = []

  function change(by: number): void {
    count += by
    onChange?.(count)
  }

  function wake(): void {
    const ready = waiting.filter(({ below }) => count < below)
    waiting = waiting.filter(({ below }) => count >= below)
    for (const { resolve } of ready) resolve()
  }

  const below = (mark: number): Promise<void> | undefined =>
    count < mark ? undefined : new Promise((resolve) => waiting.push({ below: mark, resolve }))

  return {
    room: () => below(limit),
    add(amount, work) {
      change(amount)
      void work.then(() => {
        change(-amount)
        wake()
      })
    },
    empty: async () => await below(1),
  }
}
