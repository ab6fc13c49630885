/** The buckets of destinations: exact over several senders, by the database's clock, with the arithmetic of the domain. */
import { takeTokens } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { forgetDestinations, takeDestinationTokens } from '../src/index.js'
import { openStore, type TestStore } from './store.js'

let store: TestStore
beforeAll(async () => {
  store = await openStore()
})
beforeEach(() => store.database.execute('TRUNCATE webhooks.destination'))
afterAll(() => store.close())

const clockUs = async () =>
  (
    await store.database.query<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS now',
    )
  )[0]!.now
const repeated = (places: readonly string[], count: number) => Array.from({ length: count }, () => places)

test('whatever is asked for by whom, no place is sent more than its burst and its rate', async () => {
  const batch = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2')), {
    ...{ minLength: 1, maxLength: 40 },
  })
  const limits = fc.record({
    perSecond: fc.integer({ min: 1, max: 10_000 }),
    burst: fc.integer({ min: 1, max: 60 }),
  })
  await fc.assert(
    fc.asyncProperty(limits, fc.array(batch, { minLength: 2, maxLength: 12 }), async (drawn, batches) => {
      await store.database.execute('TRUNCATE webhooks.destination')
      const fromUs = await clockUs()
      const waits = await Promise.all(
        batches.map((places) => takeDestinationTokens(store.database, drawn, places)),
      )
      const sent = new Map<string, number>()
      for (const [index, places] of batches.flat().entries())
        if (waits.flat()[index] === 0) for (const one of places) sent.set(one, (sent.get(one) ?? 0) + 1)
      // The time between two tokens is a whole number of microseconds.
      const came = ((await clockUs()) - fromUs) / Math.round(1_000_000 / drawn.perSecond)
      for (const [place, count] of sent) expect(count, place).toBeLessThanOrEqual(drawn.burst + came)
      for (const wait of waits.flat()) expect(wait).toBeLessThanOrEqual(60_000)
    }),
    { numRuns: 60 },
  )
})

test('a bucket holds what the pure function says, whatever was left in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: -3_600_000_000, max: 3_600_000_000 }),
      fc.integer({ min: 1, max: 150 }),
      async (perSecond, burst, offsetUs, wanted) => {
        const intervalUs = Math.round(1_000_000 / perSecond)
        const before = await clockUs()
        await store.database.execute(
          `INSERT INTO webhooks.destination VALUES ('p', $1, 0, 0, 0)
           ON CONFLICT (name) DO UPDATE SET full_at_us = excluded.full_at_us, turn_at_us = 0`,
          [before + offsetUs],
        )
        const waits = await takeDestinationTokens(
          store.database,
          { perSecond, burst },
          repeated(['p'], wanted),
        )
        const after = await clockUs()
        const granted = waits.filter((wait) => wait === 0).length
        const by = (nowUs: number) =>
          takeTokens({ intervalUs, depth: burst }, before + offsetUs, nowUs, wanted).granted
        expect(granted).toBeGreaterThanOrEqual(by(before))
        expect(granted).toBeLessThanOrEqual(by(after))
      },
    ),
    { numRuns: 100 },
  )
})

test('those that wait are given turns one after the other, at the rate of the place', async () => {
  const limits = { perSecond: 50, burst: 5 }
  const beforeFirst = await clockUs()
  const first = await takeDestinationTokens(store.database, limits, repeated(['p'], 25))
  const second = await takeDestinationTokens(store.database, limits, repeated(['p'], 10))
  const afterSecond = await clockUs()
  expect(first.slice(0, 5)).toEqual([0, 0, 0, 0, 0])
  // Rounding loses a millisecond.
  for (const [index, wait] of first.slice(6).entries())
    expect(wait - first[index + 5]!).toBeGreaterThanOrEqual(19)
  expect(first.at(-1)).toBeGreaterThanOrEqual(400)
  // However late the second call comes, none of its turns is before the last turn of the first.
  expect(afterSecond / 1_000 + Math.min(...second)).toBeGreaterThanOrEqual(
    beforeFirst / 1_000 + first.at(-1)!,
  )
})

test('a call that waited for the row gives nothing back that another one took meanwhile', async () => {
  // The next token comes long after the end of this test.
  const limits = { perSecond: 0.01, burst: 2 }
  const take = () => takeDestinationTokens(store.database, limits, repeated(['p'], 2))
  const fullAtUs = async (on: Queryable) =>
    (await on.query<{ at: number }>('SELECT full_at_us AS at FROM webhooks.destination'))[0]!.at
  expect(await take()).toEqual([0, 0])
  const [waiting, left] = await store.database.transaction({ at: 'test' }, async (holder) => {
    await holder.execute('UPDATE webhooks.destination SET granted = granted')
    const late = take()
    await until(async () => {
      const [row] = await store.database.query<{ waiting: number }>(
        `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(row!.waiting).toBe(1)
    })
    await holder.execute(
      `UPDATE webhooks.destination SET full_at_us = (extract(epoch FROM clock_timestamp()) * 1000000)::int8 + 200000000`,
    )
    return [[late], await fullAtUs(holder)] as const
  })
  for (const wait of await waiting[0]!) expect(wait).toBeGreaterThan(0)
  expect(await fullAtUs(store.database)).toBeGreaterThanOrEqual(left)
})

test('another place has its own bucket, and one that is full is forgotten', async () => {
  // The next token comes long after the end of this test.
  const limits = { perSecond: 0.01, burst: 1 }
  expect(
    await takeDestinationTokens(store.database, limits, repeated(['host a', 'address 1'], 2)),
  ).toMatchObject([0, expect.any(Number)])
  const [sameAddress, otherBoth] = await takeDestinationTokens(store.database, limits, [
    ['host b', 'address 1'],
    ['host c', 'address 2'],
  ])
  expect(sameAddress).toBeGreaterThan(0)
  expect(otherBoth).toBe(0)
  await forgetDestinations(store.database)
  const names = () => store.database.query<{ name: string }>('SELECT name FROM webhooks.destination')
  expect(await names()).toHaveLength(5)
  await store.database.execute('UPDATE webhooks.destination SET full_at_us = 0, turn_at_us = 0')
  await forgetDestinations(store.database)
  expect(await names()).toEqual([])
})
