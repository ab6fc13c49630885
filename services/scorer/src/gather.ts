/**
 * Gathers what arrives in the same moment, over all partitions, into one batch, so that one look-up serves all of it.
 * Nothing waits for company: whatever is there when the event loop has read its sockets goes at once, and what comes while
 * a batch runs travels with the next.
 */

export interface Gatherer<T, R> {
  /**
   * Resolves to one result per item, in order. Rejects where a batch that held one of them failed.
   * Items of one call may travel in different batches.
   */
  submit(items: readonly T[]): Promise<readonly R[]>
}

export interface GatherOptions<T, R> {
  /** One result per item, in order. The batch is over with it, also where a result is still to come. */
  readonly run: (items: readonly T[]) => Promise<readonly (R | PromiseLike<R>)[]>
  /** Items in one batch, so that the decision of a large one does not hold up the event loop. */
  readonly maxBatchItems: number
  /** Batches under way at once. With one, a late partition would wait out a whole look-up. */
  readonly maxConcurrentBatches: number
}

interface Waiting<T, R> {
  readonly item: T
  readonly settle: (result: R | PromiseLike<R>) => void
  readonly reject: (error: unknown) => void
}

export function createGatherer<T, R>(options: GatherOptions<T, R>): Gatherer<T, R> {
  let queue: Waiting<T, R>[] = []
  let scheduled = false
  let running = 0

  const flush = (): void => {
    scheduled = false
    while (queue.length > 0 && running < options.maxConcurrentBatches) {
      const batch = queue.slice(0, options.maxBatchItems)
      queue = queue.slice(options.maxBatchItems)
      void runBatch(batch)
    }
  }
  const runBatch = async (batch: readonly Waiting<T, R>[]): Promise<void> => {
    running += 1
    try {
      const results = await options.run(batch.map(({ item }) => item))
      if (results.length !== batch.length)
        throw new Error(`${results.length} results for ${batch.length} items`)
      batch.forEach((waiting, index) => waiting.settle(results[index]!))
    } catch (error) {
      for (const waiting of batch) waiting.reject(error)
    } finally {
      running -= 1
      schedule()
    }
  }
  const schedule = (): void => {
    if (scheduled || queue.length === 0 || running >= options.maxConcurrentBatches) return
    scheduled = true
    setImmediate(flush)
  }

  return {
    submit(items) {
      const results = Promise.all(
        items.map((item) => new Promise<R>((settle, reject) => queue.push({ item, settle, reject }))),
      )
      schedule()
      return results
    },
  }
}
