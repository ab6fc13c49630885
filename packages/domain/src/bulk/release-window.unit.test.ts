import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  GUARANTEED_SHARE,
  INITIAL_WINDOW_ITEMS,
  MAX_WINDOW_ITEMS,
  MIN_WINDOW_ITEMS,
  nextWindow,
  type WindowReading,
} from './release-window.js'

const calm: WindowReading = {
  isInteractiveLate: false,
  capacityPerSecond: 2_000,
  roundTripMs: 100,
  wasFull: true,
}
const late: WindowReading = { ...calm, isInteractiveLate: true }

test('the window halves while interactive screens wait too long, and grows otherwise', () => {
  expect(nextWindow(400, late)).toBe(200)
  expect(nextWindow(400, calm)).toBe(500)
})

test('a window that nobody fills does not grow', () => {
  expect(nextWindow(400, { ...calm, wasFull: false })).toBe(400)
})

test('however late interactive screens are, bulk keeps its share of the measured capacity', () => {
  let window = 1_000
  for (let round = 0; round < 20; round += 1) window = nextWindow(window, late)
  // Little's law: the rate is the work under way divided by the round trip.
  expect((window / late.roundTripMs!) * 1_000).toBeGreaterThanOrEqual(
    GUARANTEED_SHARE * late.capacityPerSecond!,
  )
  expect(window).toBe(30)
})

test('work under way stays below what half a second can finish, from the first measurement on', () => {
  let window = INITIAL_WINDOW_ITEMS
  for (let round = 0; round < 40; round += 1) window = nextWindow(window, calm)
  expect(window).toBe(1_000)
  for (let round = 0; round < 40; round += 1)
    window = nextWindow(window, { ...calm, capacityPerSecond: null })
  expect(window).toBe(INITIAL_WINDOW_ITEMS)
})

test('whatever is read, the window is a whole number between its limits', () => {
  const ms = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }))
  fc.assert(
    fc.property(
      fc.integer({ min: MIN_WINDOW_ITEMS, max: MAX_WINDOW_ITEMS }),
      fc.record({
        isInteractiveLate: fc.boolean(),
        capacityPerSecond: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
        roundTripMs: ms,
        wasFull: fc.boolean(),
      }),
      (window, reading) => {
        const next = nextWindow(window, reading)
        expect(Number.isInteger(next)).toBe(true)
        expect(next).toBeGreaterThanOrEqual(MIN_WINDOW_ITEMS)
        expect(next).toBeLessThanOrEqual(MAX_WINDOW_ITEMS)
      },
    ),
  )
})
