/** Makes one call at a time, with everything that came in during the last one. */
export function createGather<T, R>(
  carryOut: (items: readonly T[]) => Promise<readonly R[]>,
  maxItems: number,
) {
  let waiting: { item: T; resolve: (result: R) => void; reject: (error: unknown) => void }[] = []
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    // Batches that arrive together begin together.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      try {
        const results = await carryOut(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, index) => resolve(results[index]!))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  return {
    /** Resolves with the result of this item. */
    add: (item: T): Promise<R> =>
      new Promise<R>((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        void run()
      }),
  }
}
