import { expect, test } from 'vitest'
import {
  compareRounds,
  medianOfRatios,
  percentileOf,
  ratioOfPercentiles,
  turnsOfRound,
  type Ratio,
  type RoundTurns,
} from './rounds.js'

/** Few, because their number does not matter here. */
const RESAMPLES = 50

const countTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

test('a percentile is the value below which a share of the values is, whatever their order', () => {
  expect(percentileOf(countTo(100).reverse(), 0.95)).toBe(96)
  expect(percentileOf([3], 0.95)).toBe(3)
  expect(() => percentileOf([], 0.5)).toThrow(RangeError)
})

test('each kind of turn comes in each place equally often', () => {
  const places = countTo(6).flatMap((round) => turnsOfRound(round).map((kind, place) => `${kind} ${place}`))
  const twice = [...new Set(places)].flatMap((place) => [place, place])
  expect(places.toSorted()).toEqual(twice.toSorted())
  expect(places).toHaveLength(18)
  expect(new Set(places).size).toBe(9)
})

test('percentiles of all rounds are compared, and an interval holds the ratio', () => {
  const under = countTo(20).map((round) => countTo(100).map((ms) => ms + round))
  const over = under.map((turn) => turn.map((ms) => ms * 1.5))
  expect(ratioOfPercentiles(over, under, 0.95, RESAMPLES)).toEqual({ value: 1.5, low: 1.5, high: 1.5 })
})

test('the interval is wider where rounds differ more', () => {
  const under = countTo(20).map(() => countTo(100))
  const scaled = (factorOf: (round: number) => number): RoundTurns =>
    under.map((turn, round) => turn.map((ms) => ms * factorOf(round)))
  const width = (over: RoundTurns): number => {
    const { value, low, high }: Ratio = ratioOfPercentiles(over, under, 0.95, RESAMPLES)
    expect(low).toBeLessThanOrEqual(value)
    expect(high).toBeGreaterThanOrEqual(value)
    return high - low
  }
  const alike = width(scaled((round) => (round % 2 === 0 ? 0.98 : 1.02)))
  const different = width(scaled((round) => (round % 2 === 0 ? 0.5 : 2)))
  expect(different).toBeGreaterThan(alike)
})

test('turns beside something are compared with both turns alone, and those with each other', () => {
  const one = countTo(6).map(() => countTo(100))
  const other = one.map((turn) => turn.map((ms) => ms))
  const beside = one.map((turn) => turn.map((ms) => 2 * ms))
  expect(compareRounds({ one, other, beside }, 0.95)).toEqual({
    aloneMs: 96,
    besideMs: 192,
    effect: { value: 2, low: 2, high: 2 },
    noise: { value: 1, low: 1, high: 1 },
    median: { effect: { value: 2, low: 2, high: 2 }, noise: { value: 1, low: 1, high: 1 } },
  })
})

test('one round in which the machine stood still moves the median of the rounds little', () => {
  const under = countTo(9).map(() => countTo(100))
  const over = under.map((turn, round) => turn.map((ms) => ms * (round === 4 ? 50 : 1.5)))
  expect(medianOfRatios(over, under, 0.95, RESAMPLES).value).toBe(1.5)
  expect(ratioOfPercentiles(over, under, 0.95, RESAMPLES).value).toBeGreaterThan(2)
  expect(medianOfRatios(over.slice(0, 4), under.slice(0, 4), 0.95, RESAMPLES).value).toBe(1.5)
})
