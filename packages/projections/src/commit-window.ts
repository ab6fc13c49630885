/**
 * Puts what arrives for many partitions into few transactions. The first batch after a pause is committed at once;
 * under load a commit begins at most every `intervalMs` and takes everything that came in the meantime.
 */
export interface CommitWindow<T, R> {
  /** Resolves with the outcome of this item once its commit is done. */
  add(item: T): Promise<R>
}

export function createCommitWindow<T, R>(options: {
  readonly intervalMs: number
  /** Commits the items together; the outcomes are in their order. A rejection is every item's. */
  readonly commit: (items: readonly T[]) => Promise<readonly R[]>
}): CommitWindow<T, R> {
  interface Waiting {
    readonly item: T
    readonly resolve: (outcome: R) => void
    readonly reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let scheduled = false
  let committing = false
  let lastStart = Number.NEGATIVE_INFINITY

  function schedule(): void {
    if (scheduled || committing || waiting.length === 0) return
    scheduled = true
    const dueInMs = lastStart + options.intervalMs - performance.now()
    // Batches of several partitions arrive in the same turn of the event loop: let all of them in.
    if (dueInMs <= 0) setImmediate(() => void commit())
    else setTimeout(() => void commit(), dueInMs)
  }

  async function commit(): Promise<void> {
    const taken = waiting
    waiting = []
    scheduled = false
    committing = true
    lastStart = performance.now()
    try {
      const outcomes = await options.commit(taken.map((entry) => entry.item))
      taken.forEach((entry, index) => entry.resolve(outcomes[index]!))
    } catch (error) {
      for (const entry of taken) entry.reject(error)
    } finally {
      committing = false
      schedule()
    }
  }

  return {
    add: (item) =>
      new Promise<R>((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        schedule()
      }),
  }
}
