import { silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import type { Fetcher } from './fetcher.js'
import { createRangeFetchers, type RangeFetchers } from './range-fetchers.js'

const opened: { fetcher: Fetcher; isClosed: boolean }[] = []
let fetchers: RangeFetchers

function fetchersOf(keptMs: number): RangeFetchers {
  const open = (): Fetcher => {
    const one = { isClosed: false } as (typeof opened)[number]
    one.fetcher = {
      ...{ add: () => {}, remove: () => {}, wake: () => {}, hurry: () => {}, lastActiveAt: () => 0 },
      close: async () => void (one.isClosed = true),
    }
    opened.push(one)
    return one.fetcher
  }
  return (fetchers = createRangeFetchers(
    { brokers: [], clientId: 'test', logger: silentLogger },
    { open, keptMs },
  ))
}

const closed = (): boolean[] => opened.map(({ isClosed }) => isClosed)

afterEach(async () => {
  await fetchers.close()
  opened.length = 0
})

describe('connections for reads of ranges', () => {
  it('serve one reader after another', async () => {
    const { take, giveBack } = fetchersOf(60_000)
    const first = take()
    await giveBack(first)
    expect(take()).toBe(first)
    expect(opened).toHaveLength(1)
  })

  it('serve one reader at a time', () => {
    const { take } = fetchersOf(60_000)
    expect(take()).not.toBe(take())
  })

  it('end when nobody has used them for a while', async () => {
    const { take, giveBack } = fetchersOf(5)
    await giveBack(take())
    await until(() => expect(closed()).toEqual([true]))
    expect(take()).not.toBe(opened[0]!.fetcher)
  })

  it('are kept in a small number', async () => {
    const { take, giveBack } = fetchersOf(60_000)
    for (const fetcher of [take(), take(), take()]) await giveBack(fetcher)
    expect(closed()).toEqual([false, false, true])
  })

  it('end with the log, also those that are in use', async () => {
    const { take, giveBack, close } = fetchersOf(60_000)
    const used = take()
    await giveBack(take())
    await close()
    expect(closed()).toEqual([false, true])
    await giveBack(used)
    expect(closed()).toEqual([true, true])
  })
})
