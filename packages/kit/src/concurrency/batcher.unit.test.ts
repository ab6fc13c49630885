import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BatcherRefusal, createBatcher, type BatcherOptions } from './batcher.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** A recorded run of batches that end when the test decides. */
function controlled() {
  const batches: { items: readonly string[]; finish: () => void; fail: (error: Error) => void }[] = []
  const run = (items: readonly string[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map((item) => item.toUpperCase())), fail: reject })
    })
  return { batches, run }
}

describe('batching', () => {
  test('items of one moment are one batch, and each call gets its own results in order', async () => {
    const { batches, run } = controlled()
    const batcher = createBatcher({ run })
    const one = batcher.addAll(['a', 'b'])
    const other = batcher.add('c')
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([['a', 'b', 'c']])
    batches[0]!.finish()
    await expect(one).resolves.toEqual(['A', 'B'])
    await expect(other).resolves.toBe('C')
  })

  test('a batch that returns fewer results than items rejects all of them', async () => {
    const batcher = createBatcher<string, string>({ run: () => Promise.resolve(['A']) })
    await expect(batcher.addAll(['a', 'b'])).rejects.toThrow('A batch of 2 items returned 1 results')
  })

  test('a batch ends although one of its results is still to come', async () => {
    let finish: (result: string) => void = () => undefined
    const batcher = createBatcher<string, string>({
      run: (items) =>
        Promise.resolve(
          items.map((item) =>
            item === 'slow' ? new Promise<string>((resolve) => (finish = resolve)) : item,
          ),
        ),
    })
    const slow = batcher.add('slow')
    await turn()
    await expect(batcher.add('fast')).resolves.toBe('fast')
    finish('at last')
    await expect(slow).resolves.toBe('at last')
  })

  test('a heavy item runs by itself, and lighter ones fill a batch up to its weight', async () => {
    const batches: (readonly number[])[] = []
    const run = (items: readonly number[]) => Promise.resolve((batches.push(items), items))
    const batcher = createBatcher<number, number>({ run, maxBatchWeight: 10, weightOf: (item) => item })
    await batcher.addAll([4, 6, 25, 1, 9, 1])
    expect(batches).toEqual([[4, 6], [25], [1, 9], [1]])
  })

  test('more items wait than allowed: the next one is rejected, and those that wait are not', async () => {
    const { batches, run } = controlled()
    const batcher = createBatcher({ run, maxWaitingItems: 2 })
    const accepted = batcher.addAll(['a', 'b'])
    await expect(batcher.add('c')).rejects.toThrow(BatcherRefusal)
    await turn()
    batches[0]!.finish()
    await expect(accepted).resolves.toEqual(['A', 'B'])
  })

  test('closing waits for what was accepted and rejects what comes later', async () => {
    const { batches, run } = controlled()
    const batcher = createBatcher({ run, maxBatchItems: 1 })
    const accepted = batcher.addAll(['a', 'b'])
    let isClosed = false
    const closing = batcher.close().then(() => (isClosed = true))
    await expect(batcher.add('c')).rejects.toThrow(BatcherRefusal)
    await turn()
    batches[0]!.finish()
    await turn()
    expect(isClosed).toBe(false)
    batches[1]!.finish()
    await closing
    await expect(accepted).resolves.toEqual(['A', 'B'])
  })
})

describe('with faked time', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  test('an item without a result in time is rejected at its limit, running or waiting, and never runs later', async () => {
    const { batches, run } = controlled()
    const batcher = createBatcher({ run, timeoutMs: 1_000 })
    const rejected: string[] = []
    const add = (item: string) => batcher.add(item).catch(() => rejected.push(item))
    void add('running')
    await turn()
    void add('waiting')
    vi.advanceTimersByTime(600)
    void add('younger')
    vi.advanceTimersByTime(399)
    await turn()
    expect(rejected).toEqual([])
    vi.advanceTimersByTime(2)
    await turn()
    expect(rejected).toEqual(['running', 'waiting'])
    batches[0]!.finish()
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([['running'], ['younger']])
  })

  test('a result that comes as a promise has the same limit, and its late rejection is not unhandled', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    let fail: (error: Error) => void = () => undefined
    let finish: (results: readonly Promise<string>[]) => void = () => undefined
    const late = new Promise<string>((_, reject) => (fail = reject))
    const batcher = createBatcher<string, string>({
      run: ([item]) =>
        item === 'a' ? Promise.resolve([late]) : new Promise((resolve) => (finish = resolve)),
      timeoutMs: 1_000,
    })
    // One gets its promise before the limit and one after it.
    for (const item of ['a', 'b']) {
      const outcome = batcher.add(item).catch((error: Error) => error.message)
      await turn()
      vi.advanceTimersByTime(1_001)
      await expect(outcome).resolves.toBe('No result within 1000 ms')
    }
    finish([late])
    await turn()
    fail(new Error('too late'))
    await turn()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  test('the result of an item that was rejected meanwhile is told, and no other', async () => {
    const { batches, run } = controlled()
    const late: [string, string][] = []
    const batcher = createBatcher({
      ...{ run, timeoutMs: 1_000, maxBatchItems: 2 },
      onLateResult: (item, result) => void late.push([item, result]),
    })
    const rejected = ['a', 'b', 'waits'].map((item) =>
      expect(batcher.add(item)).rejects.toThrow(BatcherRefusal),
    )
    await turn()
    vi.advanceTimersByTime(1_001)
    await Promise.all(rejected)
    batches[0]!.finish()
    const inTime = batcher.add('c')
    await turn()
    batches[1]!.finish()
    await expect(inTime).resolves.toBe('C')
    expect(late).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ])
  })

  test('one timer serves all items, and none is left once their time is over', async () => {
    const { batches, run } = controlled()
    const batcher = createBatcher({ run, timeoutMs: 1_000 })
    const added = batcher.addAll(['a', 'b'])
    expect(vi.getTimerCount()).toBe(1)
    await turn()
    batches[0]!.finish()
    await added
    vi.advanceTimersByTime(1_001)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('with an interval the first batch begins at once, and the next one takes what came until its time', async () => {
    const { batches, run } = controlled()
    const batcher = createBatcher({ run, intervalMs: 50 })
    void batcher.add('a')
    await turn()
    batches[0]!.finish()
    await turn()
    void batcher.add('b')
    vi.advanceTimersByTime(49)
    void batcher.add('c')
    await turn()
    expect(batches.length).toBe(1)
    vi.advanceTimersByTime(2)
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([['a'], ['b', 'c']])
  })
})

/** The outcome of a batch: the number of turns of the event loop after which it ends, and whether it fails. */
const batchFate = fc.record({ turns: fc.nat(4), fails: fc.boolean() })

describe('for any arrivals, sizes and failures', () => {
  test('each item gets the result of its own batch, within the limits, in the order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(6), { maxLength: 12 }),
        fc.array(batchFate, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        async (arrivals, fates, maxBatchItems, maxConcurrentBatches) => {
          const { batcher, seen } = observed(fates, { maxBatchItems, maxConcurrentBatches })
          let next = 0
          const outcomes: Promise<string>[] = []
          for (const count of arrivals) {
            for (let added = 0; added < count; added += 1) {
              const item = next++
              outcomes.push(
                batcher.add(item).then(
                  (result) => `${item} → ${result}`,
                  (error: Error) => `${item} ✗ ${error.message}`,
                ),
              )
            }
            await new Promise<void>((resolve) => setImmediate(resolve))
          }
          await batcher.close()
          expect(await Promise.all(outcomes)).toEqual(seen.expected())
          expect(seen.batches.flat()).toEqual(Array.from({ length: next }, (_, item) => item))
          expect(seen.largestBatch()).toBeLessThanOrEqual(maxBatchItems)
          expect(seen.mostConcurrent()).toBeLessThanOrEqual(maxConcurrentBatches)
        },
      ),
      { numRuns: 200 },
    )
  })
})

function observed(
  fates: readonly { turns: number; fails: boolean }[],
  limits: Pick<BatcherOptions<number, number>, 'maxBatchItems' | 'maxConcurrentBatches'>,
) {
  const batches: (readonly number[])[] = []
  const fateOf = (batch: number) => fates[batch % fates.length]!
  let concurrent = 0
  let most = 0
  const run = async (items: readonly number[]): Promise<number[]> => {
    const number = batches.push(items) - 1
    most = Math.max(most, ++concurrent)
    for (let left = fateOf(number).turns; left > 0; left -= 1)
      await new Promise<void>((resolve) => setImmediate(resolve))
    concurrent -= 1
    if (fateOf(number).fails) throw new Error(`batch ${number}`)
    return items.map((item) => item * 2)
  }
  return {
    batcher: createBatcher<number, number>({ run, ...limits }),
    seen: {
      batches,
      mostConcurrent: () => most,
      largestBatch: () => Math.max(0, ...batches.map(({ length }) => length)),
      expected: () =>
        batches.flatMap((items, number) =>
          items.map((item) => (fateOf(number).fails ? `${item} ✗ batch ${number}` : `${item} → ${item * 2}`)),
        ),
    },
  }
}
