import { expect, test } from 'vitest'
import { percentileOf } from './load.js'
import { compareRounds, ratioOfPercentiles, turnsOfRound, type RoundTurns } from './rounds.js'

/** Few, because their number does not matter here. */
const RESAMPLES = 50

const countTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

test('a percentile is the value below which a share of the values is, whatever their order', () => {
  expect(percentileOf(countTo(100).reverse(), 0.95)).toBe(96)
  expect(() => percentileOf([], 0.5)).toThrow(RangeError)
})

test('each kind of turn comes in each place equally often', () => {
  const places = countTo(6).flatMap((round) => turnsOfRound(round).map((kind, place) => `${kind} ${place}`))
  const twice = [...new Set(places)].flatMap((place) => [place, place])
  expect(places.toSorted()).toEqual(twice.toSorted())
  expect(new Set(places).size).toBe(9)
})

test('the interval holds the ratio, and is wider if rounds differ more', () => {
  const under = countTo(20).map(() => countTo(100))
  const scaled = (factorOf: (round: number) => number): RoundTurns =>
    under.map((turn, round) => turn.map((ms) => ms * factorOf(round)))
  const width = (over: RoundTurns): number => {
    const { value, low, high } = ratioOfPercentiles(over, under, 0.95, RESAMPLES)
    expect(low).toBeLessThanOrEqual(value)
    expect(high).toBeGreaterThanOrEqual(value)
    return high - low
  }
  expect(width(scaled(() => 1.5))).toBe(0)
  const alike = width(scaled((round) => (round % 2 === 0 ? 0.98 : 1.02)))
  expect(width(scaled((round) => (round % 2 === 0 ? 0.5 : 2)))).toBeGreaterThan(alike)
})

test('loaded turns are compared with both quiet turns, and the quiet ones with each other', () => {
  const one = countTo(6).map(() => countTo(100))
  const loaded = one.map((turn) => turn.map((ms) => 2 * ms))
  expect(compareRounds({ one, other: one, loaded }, 0.95, RESAMPLES)).toEqual({
    ...{ quietMs: 96, loadedMs: 192 },
    effect: { value: 2, low: 2, high: 2 },
    noise: { value: 1, low: 1, high: 1 },
  })
})
