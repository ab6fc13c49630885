import { describe, expect, test } from 'vitest'
import { createGatherer } from './gather.js'

/** A run whose batches are recorded and end when the test says so. */
function controlled() {
  const batches: { items: readonly string[]; finish: () => void; fail: (error: Error) => void }[] = []
  const run = (items: readonly string[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map((item) => item.toUpperCase())), fail: reject })
    })
  return { batches, run }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('gathering', () => {
  test('what several partitions bring in one moment is one batch, and each gets its own results in order', async () => {
    const { batches, run } = controlled()
    const gatherer = createGatherer({ run, maxBatchItems: 10, maxConcurrentBatches: 2 })
    const first = gatherer.submit(['a', 'b'])
    const second = gatherer.submit(['c'])
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([['a', 'b', 'c']])
    batches[0]!.finish()
    expect(await first).toEqual(['A', 'B'])
    expect(await second).toEqual(['C'])
  })

  test('a result that is still to come holds up neither the others nor the next batch', async () => {
    let release: (text: string) => void = () => undefined
    const slow = new Promise<string>((resolve) => (release = resolve))
    const gatherer = createGatherer<string, string>({
      run: (items) => Promise.resolve(items.map((item) => (item === 'slow' ? slow : item.toUpperCase()))),
      maxBatchItems: 10,
      maxConcurrentBatches: 1,
    })
    const waiting = gatherer.submit(['slow'])
    expect(await gatherer.submit(['a'])).toEqual(['A'])
    expect(await gatherer.submit(['b'])).toEqual(['B'])
    release('at last')
    expect(await waiting).toEqual(['at last'])
  })

  test('what comes while the allowed number of batches runs travels together afterwards', async () => {
    const { batches, run } = controlled()
    const gatherer = createGatherer({ run, maxBatchItems: 10, maxConcurrentBatches: 1 })
    const first = gatherer.submit(['a'])
    await turn()
    const second = gatherer.submit(['b'])
    await turn()
    const third = gatherer.submit(['c'])
    await turn()
    expect(batches).toHaveLength(1)
    batches[0]!.finish()
    await first
    await turn()
    expect(batches[1]!.items).toEqual(['b', 'c'])
    batches[1]!.finish()
    expect([await second, await third]).toEqual([['B'], ['C']])
  })

  test('a partition that comes a moment later does not wait for a batch under way', async () => {
    const { batches, run } = controlled()
    const gatherer = createGatherer({ run, maxBatchItems: 10, maxConcurrentBatches: 2 })
    const first = gatherer.submit(['a'])
    await turn()
    const second = gatherer.submit(['b'])
    await turn()
    batches[1]!.finish()
    expect(await second).toEqual(['B'])
    batches[0]!.finish()
    expect(await first).toEqual(['A'])
  })

  test('a batch never holds more than the limit, and a call that is split still gets all its results', async () => {
    const { batches, run } = controlled()
    const gatherer = createGatherer({ run, maxBatchItems: 2, maxConcurrentBatches: 8 })
    const all = gatherer.submit(['a', 'b', 'c', 'd', 'e'])
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    for (const batch of batches) batch.finish()
    expect(await all).toEqual(['A', 'B', 'C', 'D', 'E'])
  })

  test('a failed batch rejects those who were in it and nobody else', async () => {
    const { batches, run } = controlled()
    const gatherer = createGatherer({ run, maxBatchItems: 10, maxConcurrentBatches: 1 })
    const first = gatherer.submit(['a'])
    await turn()
    const second = gatherer.submit(['b'])
    batches[0]!.fail(new Error('no database'))
    await expect(first).rejects.toThrow('no database')
    await turn()
    batches[1]!.finish()
    expect(await second).toEqual(['B'])
  })

  test('an empty call resolves without a batch', async () => {
    const { batches, run } = controlled()
    const gatherer = createGatherer({ run, maxBatchItems: 10, maxConcurrentBatches: 1 })
    expect(await gatherer.submit([])).toEqual([])
    expect(batches).toEqual([])
  })
})
