import { expect, test } from 'vitest'
import { arrivals } from '../load.js'
import { pooledPercentile, pooledRatio } from './pooled.js'

/** Turns of latencies that depend on nothing but their number. */
const turnsOf = (count: number, factor: number): number[][] =>
  Array.from({ length: count }, (_, turn) => arrivals(100, 2 + turn / 8).map((ms) => 1 + factor * (ms % 17)))

test('a percentile is that of all answers, in whichever turn they were', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(pooledPercentile([numbers.slice(0, 7), numbers.slice(7)], 0.95)).toBe(95)
  expect(pooledPercentile([[3]], 0.95)).toBe(3)
  expect(() => pooledPercentile([[]], 0.95)).toThrow(RangeError)
})

test('equal turns have the ratio 1 within what chance allows, and slower ones have not', () => {
  const quiet = turnsOf(12, 1)
  const same = pooledRatio(quiet, quiet, 0.95)
  expect(same.value).toBe(1)
  expect([same.from <= 1, same.to >= 1]).toEqual([true, true])
  const slower = pooledRatio(turnsOf(12, 2), quiet, 0.95)
  expect(slower.value).toBeGreaterThan(1.8)
  expect(slower.from).toBeGreaterThan(1.1)
})
