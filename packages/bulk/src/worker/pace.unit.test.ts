import { noMetrics, type Metrics } from '@cupel/contracts'
import { INITIAL_WINDOW_ITEMS, MIN_WINDOW_ITEMS } from '@cupel/domain'
import type { Dwells } from '@cupel/projections/heartbeats'
import { expect, test } from 'vitest'
import { createPace, PACE_INTERVAL_MS } from './pace.js'

const inTime = { screens: 20, lateScreens: 0 }
const late = { screens: 20, lateScreens: 20 }

/** A machine that ends `perSecond` items a second, each `roundTripMs` after its release. */
function simulation({ perSecond, roundTripMs }: { perSecond: number; roundTripMs: number }) {
  let now = 0
  let made = 0
  const pace = createPace({ metrics: noMetrics as Metrics, now: () => now })
  return {
    pace,
    /** One period of measurement. */
    period(interactive: Dwells = inTime): number {
      const ids = Array.from({ length: (perSecond * PACE_INTERVAL_MS) / 1_000 }, () => `r${(made += 1)}`)
      pace.released(ids)
      now += roundTripMs
      pace.ended(ids)
      now += PACE_INTERVAL_MS - roundTripMs
      pace.wasFull()
      pace.adapt(interactive)
      return pace.window()
    },
  }
}

test('the window grows to what half a second can finish while interactive screens are quick', () => {
  const { pace, period } = simulation({ perSecond: 2_000, roundTripMs: 50 })
  expect(pace.window()).toBe(INITIAL_WINDOW_ITEMS)
  for (let n = 0; n < 20; n += 1) period()
  expect(pace.window()).toBe(1_000)
})

test('it halves with every period in which interactive screens are late, down to the share that bulk keeps', () => {
  const { period } = simulation({ perSecond: 2_000, roundTripMs: 50 })
  const before = period()
  expect(period(late)).toBe(Math.ceil(before / 2))
  let window = 0
  for (let n = 0; n < 20; n += 1) window = period(late)
  // 15 % of 2,000 a second for 50 ms each.
  expect(window).toBe(15)
  expect(period()).toBeGreaterThan(window)
})

test('a few slow screens among many do not hold bulk up', () => {
  const { pace, period } = simulation({ perSecond: 400, roundTripMs: 20 })
  expect(period({ screens: 200, lateScreens: 6 })).toBeGreaterThanOrEqual(MIN_WINDOW_ITEMS)
  expect(pace.window()).toBeGreaterThanOrEqual(INITIAL_WINDOW_ITEMS)
})
