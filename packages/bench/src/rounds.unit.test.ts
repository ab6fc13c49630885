import { expect, test } from 'vitest'
import { percentileOf } from './load.js'
import { compareRounds, turnsOfRound } from './rounds.js'

const countTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

test('a percentile is the value below which a share of the values is, whatever their order', () => {
  expect(percentileOf(countTo(100).reverse(), 0.95)).toBe(96)
  expect(() => percentileOf([], 0.5)).toThrow(RangeError)
})

test('each kind of turn comes in each place, and each order comes once, in six rounds', () => {
  const orders = countTo(6).map(turnsOfRound)
  expect(new Set(orders.map((order) => order.join(' '))).size).toBe(6)
  for (const place of [0, 1, 2])
    for (const kind of ['one', 'other', 'loaded'])
      expect(orders.filter((order) => order[place] === kind)).toHaveLength(2)
})

test('loaded turns are compared with both quiet turns, and a round in which the machine stood still changes little', () => {
  const one = countTo(7).map(() => countTo(100))
  const loaded = one.map((turn, round) => turn.map((ms) => ms * (round === 4 ? 50 : 2)))
  const { effect, noise, quietMs } = compareRounds({ one, other: one, loaded }, 0.95)
  expect(quietMs).toBe(96)
  expect(effect).toEqual({ median: 2, lowest: 2, highest: 50 })
  expect(noise).toEqual({ median: 1, lowest: 1, highest: 1 })
})
