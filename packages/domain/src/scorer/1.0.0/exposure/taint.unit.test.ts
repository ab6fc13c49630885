import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { taintMethods, type TaintMethod } from './exposure-policy.js'
import { finished } from './steps.js'
import { openingLot, replay as replayInSteps, taintOf, type Lot, type Movement } from './taint.js'

const COIN = 100_000_000n

const replay = (movements: readonly Movement<string>[], method: TaintMethod) =>
  finished(replayInSteps(movements, method))

const tainted = (id: string, amount: bigint): Movement<string> => ({
  id,
  incoming: true,
  amount,
  lots: [{ amount, routes: ['hack'] }],
  isAsked: true,
})
const clean = (id: string, amount: bigint): Movement<string> => ({
  id,
  incoming: true,
  amount,
  lots: [{ amount, routes: [] }],
  isAsked: true,
})
const out = (id: string, amount: bigint): Movement<string> => ({
  id,
  incoming: false,
  amount,
  lots: [],
  isAsked: true,
})

const hacked = (moved: ReadonlyMap<string, readonly Lot<string>[]>, id: string): bigint =>
  taintOf(moved.get(id) ?? []).get('hack') ?? 0n

describe('two hacked coins and three clean ones, then two out and three out', () => {
  const movements = [tainted('a', 2n * COIN), clean('b', 3n * COIN), out('c', 2n * COIN), out('d', 3n * COIN)]

  test('poison: all of both', () => {
    const moved = replay(movements, 'poison')
    expect([hacked(moved, 'c'), hacked(moved, 'd')]).toEqual([2n * COIN, 3n * COIN])
  })

  test('haircut: two fifths of both', () => {
    const moved = replay(movements, 'haircut')
    expect([hacked(moved, 'c'), hacked(moved, 'd')]).toEqual([80_000_000n, 120_000_000n])
  })

  test('FIFO: all of the first, nothing of the second', () => {
    const moved = replay(movements, 'fifo')
    expect([hacked(moved, 'c'), hacked(moved, 'd')]).toEqual([2n * COIN, 0n])
  })
})

test('what left before anything tainted came in is clean, by every method', () => {
  for (const method of taintMethods)
    expect(hacked(replay([out('a', 5n), tainted('b', 5n)], method), 'a'), method).toBe(0n)
})

test('what must have been there before is of unknown origin and was there first', () => {
  const movements = [tainted('a', 10n), out('b', 30n), out('c', 5n)]
  expect(openingLot(movements)).toBe(25n)
  expect(hacked(replay(movements, 'haircut'), 'b')).toBe(8n)
  expect(hacked(replay(movements, 'fifo'), 'b')).toBe(5n)
  expect(hacked(replay(movements, 'fifo'), 'c')).toBe(5n)
})

const ROUTES = 3

/** Movements with up to three routes; how many of them come in is drawn. */
const drawnMovements = fc
  .array(fc.record({ incoming: fc.boolean(), amount: fc.nat(1_000), route: fc.nat(ROUTES) }), {
    maxLength: 30,
  })
  .map((drawn) =>
    drawn.map(({ incoming, amount, route }, index): Movement<string> => {
      const value = BigInt(amount + 1)
      const lots = [{ amount: value, routes: route === 0 ? [] : [`r${route}`] }]
      return { id: `m${index}`, incoming, amount: value, lots: incoming ? lots : [], isAsked: true }
    }),
  )

test.each(['haircut', 'fifo'] as const)(
  '%s conserves value: no more leaves than came in, nothing is lost',
  (method) => {
    fc.assert(
      fc.property(drawnMovements, (movements) => {
        const moved = replay(movements, method)
        const cameIn = taintOf(movements.flatMap(({ lots }) => lots))
        const left = taintOf([...moved.values()].flat())
        for (const [route, amount] of left) expect(amount <= (cameIn.get(route) ?? 0n)).toBe(true)
        let departures = 0
        for (const { id, incoming, amount } of movements) {
          if (incoming) continue
          departures += 1
          // What was rounded down stays, less than one base unit per route and departure: routes together may exceed the
          // balance by as much, one of them never does.
          const parts = [...taintOf(moved.get(id)!).values()]
          const rounding = BigInt(method === 'fifo' ? 0 : ROUTES * departures)
          expect(parts.reduce((sum, part) => sum + part, 0n) <= amount + rounding).toBe(true)
          for (const part of parts) expect(part <= amount).toBe(true)
        }
        // Emptied, the address has passed on everything that came in.
        const balance =
          openingLot(movements) + movements.reduce((sum, m) => sum + (m.incoming ? m.amount : -m.amount), 0n)
        if (balance === 0n) return
        const emptied = taintOf([...replay([...movements, out('rest', balance)], method).values()].flat())
        for (const [route, amount] of cameIn) expect(emptied.get(route) ?? 0n).toBe(amount)
      }),
      { numRuns: 2_000 },
    )
  },
)

test('poison taints at least what the others do, and does not conserve', () => {
  fc.assert(
    fc.property(drawnMovements, (movements) => {
      const poison = replay(movements, 'poison')
      for (const method of ['haircut', 'fifo'] as const)
        for (const [id, lots] of replay(movements, method))
          for (const [route, amount] of taintOf(lots))
            expect(amount <= (taintOf(poison.get(id)!).get(route) ?? 0n)).toBe(true)
    }),
  )
  const twice = replay([tainted('a', 1n), clean('b', 9n), out('c', 5n), out('d', 5n)], 'poison')
  expect(hacked(twice, 'c') + hacked(twice, 'd')).toBe(10n)
})
