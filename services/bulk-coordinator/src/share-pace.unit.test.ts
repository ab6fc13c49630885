import { noMetrics, type Metrics } from '@cupel/contracts'
import {
  firstRound,
  INITIAL_WINDOW_ITEMS,
  MIN_WINDOW_ITEMS,
  QUANTUM_ITEMS,
  shareRoom,
  type RoundState,
} from '@cupel/domain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPace, PACE_INTERVAL_MS } from './pace.js'
import { combine, toldBy, type Told } from './share-pace.js'

const calm = { endedPerSecond: 0, screens: 0, lateScreens: 0, wasFull: false }

const told = (holder: string, shard: number, over: Partial<Told> = {}): Told => ({
  ...toldBy({ holder, shards: [{ shard, epoch: 1 }], count: 4 }, calm, []),
  ...over,
})

test('the parts of all coordinators are one window, whoever has which accounts', () => {
  const accounts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
  fc.assert(
    fc.property(fc.array(accounts, { minLength: 1, maxLength: 6 }), (places) => {
      const all = places.map((names, n) => told(`h${n}`, n, { accounts: names, furtherAccounts: n }))
      const shares = all.map((one, n) => combine(one, all.toSpliced(n, 1), 4).share)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
    }),
  )
})

test('accounts get equal parts of the window, whether their jobs are in one shard or in many', () => {
  // One account has work everywhere, each of the others in one place.
  const places = [['spread', 'a'], ['spread', 'b', 'c'], ['spread']]
  const all = places.map((accounts, n) => told(`h${n}`, n, { accounts }))
  const got = new Map<string, number>()
  for (const [n, own] of all.entries()) {
    const reading = combine(own, all.toSpliced(n, 1), 3)
    let round: RoundState = firstRound
    for (let rounds = 0; rounds < 50; rounds += 1) {
      const queues = own.accounts.map((account) => ({
        account,
        jobs: [{ jobId: account, left: 1_000_000 }],
        turnItems: Math.max(1, Math.round(QUANTUM_ITEMS / reading.placesOf(account))),
      }))
      const shared = shareRoom(round, queues, Math.ceil(1_000 * reading.share))
      round = shared.round
      for (const { jobId, items } of shared.allotments) got.set(jobId, (got.get(jobId) ?? 0) + items)
    }
  }
  const shares = [...got.values()]
  expect(shares).toHaveLength(4)
  expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.1)
})

test('screens that are late where one coordinator watches make the window of all smaller', () => {
  const reading = combine(
    told('h0', 0, { screens: 500 }),
    [told('h1', 1, { screens: 20, lateScreens: 20 })],
    2,
  )
  // 20 of 520 are below the percentile, 40 of 540 above it.
  expect(reading).toMatchObject({ screens: 520, lateScreens: 20, isComplete: true, coordinators: 2 })
  const windowAfter = (lateScreens: number): number => {
    const pace = createPace({ dwellTargetMs: 25, metrics: noMetrics as Metrics })
    pace.adapt({ ...reading, screens: 500 + lateScreens, lateScreens, share: 1 })
    return pace.window()
  }
  expect([windowAfter(20), windowAfter(40)]).toEqual([INITIAL_WINDOW_ITEMS, INITIAL_WINDOW_ITEMS / 2])
})

test('while a shard tells nothing the window does not grow: what nobody watches may be late', () => {
  let now = 0
  const grown = (others: readonly Told[]): number => {
    const pace = createPace({ dwellTargetMs: 25, metrics: noMetrics as Metrics, now: () => now })
    for (let n = 0; n < 10; n += 1) {
      now += PACE_INTERVAL_MS
      pace.adapt({ ...combine(told('h0', 0, { wasFull: true, endedPerSecond: 4_000 }), others, 2), share: 1 })
    }
    return pace.window()
  }
  expect(grown([])).toBe(INITIAL_WINDOW_ITEMS)
  expect(grown([told('h1', 1)])).toBeGreaterThan(INITIAL_WINDOW_ITEMS)
})

test('a coordinator without work keeps the least window, so that a new job begins at once', () => {
  const own = told('h0', 0)
  const busy = told('h1', 1, { accounts: ['a'] })
  const pace = createPace({ dwellTargetMs: 25, metrics: noMetrics as Metrics })
  pace.adapt(combine(own, [busy], 2))
  expect(pace.window()).toBe(MIN_WINDOW_ITEMS)
})

test('an account beyond the named ones counts, and is not told by its name', () => {
  const names = Array.from({ length: 1_200 }, (_, n) => `acc_${n}`)
  const many = toldBy({ holder: 'h', shards: [{ shard: 0, epoch: 1 }], count: 2 }, calm, names)
  expect([many.accounts.length, many.furtherAccounts]).toEqual([1_000, 200])
  expect(combine(told('o', 1, { accounts: ['x'] }), [many], 2).share).toBeCloseTo(1 / 1_201)
})
