import { expect, it } from 'vitest'
import { arrivals, at, ratioOfPercentiles } from './sampling.mjs'

/** Few, because their number decides nothing here. */
const RESAMPLES = 50

const countTo = (last) => Array.from({ length: last }, (_, index) => index + 1)

it('draws the same arrivals from the same seed, in order and within the time, as many as were asked for on average', () => {
  const times = arrivals(50, 100, 7)
  expect(arrivals(50, 100, 7)).toEqual(times)
  expect(arrivals(50, 100, 8)).not.toEqual(times)
  expect(times).toEqual([...times].sort((one, other) => one - other))
  expect(times.at(-1)).toBeLessThan(100_000)
  expect(times.length / 100).toBeGreaterThan(45)
  expect(times.length / 100).toBeLessThan(55)
})

it('finds the value below which a share of the values is, whatever their order', () => {
  expect(at(countTo(100).reverse(), 0.95)).toBe(96)
  expect(at([3], 0.95)).toBe(3)
  expect(at([], 0.5)).toBeNull()
})

it('compares percentiles of all rounds, and gives an interval that holds the ratio', () => {
  const under = countTo(20).map((round) => countTo(100).map((ms) => ms + round))
  const over = under.map((times) => times.map((ms) => ms * 1.5))
  expect(ratioOfPercentiles(over, under, 0.95, RESAMPLES)).toEqual({ value: 1.5, low: 1.5, high: 1.5 })
})

it('gives a wider interval where rounds differ more', () => {
  const under = countTo(20).map(() => countTo(100))
  const scaled = (factorOf) => under.map((times, round) => times.map((ms) => ms * factorOf(round)))
  const width = (over) => {
    const { value, low, high } = ratioOfPercentiles(over, under, 0.95, RESAMPLES)
    expect(low).toBeLessThanOrEqual(value)
    expect(high).toBeGreaterThanOrEqual(value)
    return high - low
  }
  const alike = width(scaled((round) => (round % 2 === 0 ? 0.98 : 1.02)))
  const different = width(scaled((round) => (round % 2 === 0 ? 0.5 : 2)))
  expect(different).toBeGreaterThan(alike)
})
