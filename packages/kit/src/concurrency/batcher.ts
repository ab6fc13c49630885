/**
 * Gathers items that arrive in the same moment into batches. The first item schedules a batch for the end of the current turn of the event
 * loop; no item waits longer than that for others. While the allowed number of batches is running, new items wait and form the next batch.
 */
import { createDeadlineQueue } from './deadline-queue.js'

export interface Batcher<T, R> {
  /** Resolves to the item's own result. Rejects with the error of its batch, or with a BatcherRefusal. */
  add(item: T): Promise<R>
  /** Resolves to one result per item, in order. The items may run in different batches. */
  addAll(items: readonly T[]): Promise<R[]>
  /** Rejects new items; resolves when no accepted item waits or runs. */
  close(): Promise<void>
}

export interface BatcherOptions<T, R> {
  /**
   * Returns one result per item, in order. A result may be a promise: the batch ends without waiting for it. A rejection
   * rejects every item of the batch.
   */
  readonly run: (items: readonly T[]) => Promise<readonly (R | PromiseLike<R>)[]>
  /** Unlimited by default. */
  readonly maxBatchItems?: number
  /** The weights of a batch's items add up to at most this; a single heavier item is a batch of its own. */
  readonly maxBatchWeight?: number
  readonly weightOf?: (item: T) => number
  /** 1 by default: then an item never overtakes an earlier one. */
  readonly maxConcurrentBatches?: number
  /** A batch begins at the earliest this long after the one before it began; the first one after a pause begins at once. */
  readonly intervalMs?: number
  /** Maximum number of waiting items: further ones are rejected. */
  readonly maxWaitingItems?: number
  /** An item without a result by then is rejected, and never runs if it has not begun. */
  readonly timeoutMs?: number
  /** Called with the result of an item that was rejected meanwhile, whose caller knows nothing of it. Must not throw. */
  readonly onLateResult?: (item: T, result: R) => void
}

/** The batcher rejected the item itself: it is closed, too many items wait, or there was no result in time. */
export class BatcherRefusal extends Error {
  override readonly name = 'BatcherRefusal'
}

interface Entry<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { intervalMs = 0, maxConcurrentBatches = 1, maxWaitingItems = Infinity, timeoutMs } = options
  const deadlines = timeoutMs === undefined ? null : createDeadlineQueue<Entry<T, R>>(expire)
  let waiting: Entry<T, R>[] = []
  let running = 0
  let isScheduled = false
  let lastStartMs = -Infinity
  let whenIdle: (() => void) | null = null
  let isClosed = false

  function add(item: T): Promise<R> {
    if (isClosed) return Promise.reject(new BatcherRefusal('The batcher is closed'))
    if (waiting.length >= maxWaitingItems)
      return Promise.reject(new BatcherRefusal(`${maxWaitingItems} items are waiting already`))
    return new Promise<R>((resolve, reject) => {
      const entry = createEntry<T, R>(item, { resolve, reject }, () => deadlines?.delete(entry), options)
      waiting.push(entry)
      deadlines?.add(entry, timeoutMs!)
      schedule()
    })
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || running >= maxConcurrentBatches) return
    isScheduled = true
    const dueInMs = intervalMs === 0 ? 0 : lastStartMs + intervalMs - performance.now()
    if (dueInMs > 0) setTimeout(flush, dueInMs)
    else setImmediate(flush)
  }

  function flush(): void {
    isScheduled = false
    while (waiting.length > 0 && running < maxConcurrentBatches) {
      const batch = waiting.slice(0, batchLength(waiting, options))
      waiting = batch.length === waiting.length ? [] : waiting.slice(batch.length)
      void runBatch(batch)
      if (intervalMs > 0) return schedule()
    }
  }

  async function runBatch(batch: readonly Entry<T, R>[]): Promise<void> {
    running += 1
    if (intervalMs > 0) lastStartMs = performance.now()
    await runAndSettle(batch, options.run)
    running -= 1
    schedule()
    if (isIdle()) whenIdle?.()
  }

  /** A promise settles once: the result of a batch that still runs changes nothing for the expired items in it. */
  function expire(expired: readonly Entry<T, R>[]): void {
    const gone = new Set(expired)
    waiting = waiting.filter((entry) => !gone.has(entry))
    for (const { reject } of expired) reject(new BatcherRefusal(`No result within ${timeoutMs} ms`))
    if (isIdle()) whenIdle?.()
  }

  const isIdle = (): boolean => waiting.length === 0 && running === 0

  return {
    add,
    addAll: (items) => Promise.all(items.map(add)),
    async close() {
      isClosed = true
      if (!isIdle()) await new Promise<void>((resolve) => (whenIdle = resolve))
      deadlines?.close()
    },
  }
}

function createEntry<T, R>(
  item: T,
  { resolve, reject }: Omit<Entry<T, R>, 'item'>,
  beforeSettling: () => void,
  { onLateResult }: Pick<BatcherOptions<T, R>, 'onLateResult'>,
): Entry<T, R> {
  let isRejected = false
  return {
    item,
    resolve(result) {
      if (isRejected) return onLateResult?.(item, result)
      beforeSettling()
      resolve(result)
    },
    reject(error) {
      isRejected = true
      beforeSettling()
      reject(error)
    },
  }
}

/** Never rejects. */
async function runAndSettle<T, R>(
  batch: readonly Entry<T, R>[],
  run: BatcherOptions<T, R>['run'],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length)
      throw new Error(`A batch of ${batch.length} items returned ${results.length} results`)
    for (let index = 0; index < batch.length; index += 1) settle(batch[index]!, results[index]!)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

/** An item with a promise can still expire before the promise settles; then no other code handles its rejection. */
function settle<T, R>({ resolve, reject }: Entry<T, R>, result: R | PromiseLike<R>): void {
  if (isPromiseLike(result)) result.then(resolve, reject)
  else resolve(result)
}

function isPromiseLike<R>(result: R | PromiseLike<R>): result is PromiseLike<R> {
  return typeof result === 'object' && result !== null && 'then' in result
}

/** Number of entries from the front that fit into one batch: at least one. */
function batchLength<T, R>(
  waiting: readonly Entry<T, R>[],
  { maxBatchItems = Infinity, maxBatchWeight = Infinity, weightOf }: BatcherOptions<T, R>,
): number {
  const most = Math.min(waiting.length, maxBatchItems)
  if (weightOf === undefined) return most
  let weight = weightOf(waiting[0]!.item)
  let length = 1
  while (length < most && (weight += weightOf(waiting[length]!.item)) <= maxBatchWeight) length += 1
  return length
}
