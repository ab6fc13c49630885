import { noMetrics, type Metrics } from '@cupel/contracts'
import { INITIAL_WINDOW_ITEMS, MIN_WINDOW_ITEMS } from '@cupel/domain'
import { expect, test } from 'vitest'
import { interactiveDwellMs } from './interactive-dwell.js'
import { createPace, PACE_INTERVAL_MS } from './pace.js'

/** A machine that ends `perSecond` items a second, each `roundTripMs` after its release. */
function simulation({ perSecond, roundTripMs }: { perSecond: number; roundTripMs: number }) {
  let now = 0
  let made = 0
  const pace = createPace({ dwellTargetMs: 25, metrics: noMetrics as Metrics, now: () => now })
  return {
    pace,
    /** One period of measurement. */
    period(dwellMs: number | null): number {
      const ids = Array.from({ length: (perSecond * PACE_INTERVAL_MS) / 1_000 }, () => `r${(made += 1)}`)
      pace.released(ids)
      now += roundTripMs
      pace.ended(ids)
      now += PACE_INTERVAL_MS - roundTripMs
      pace.wasFull()
      if (dwellMs !== null) for (let n = 0; n < 20; n += 1) pace.interactive(dwellMs)
      pace.adapt()
      return pace.window()
    },
  }
}

test('the window grows to what half a second can finish while interactive screens are quick', () => {
  const { pace, period } = simulation({ perSecond: 2_000, roundTripMs: 50 })
  expect(pace.window()).toBe(INITIAL_WINDOW_ITEMS)
  for (let n = 0; n < 20; n += 1) period(3)
  expect(pace.window()).toBe(1_000)
})

test('it halves with every period in which interactive screens are late, down to the share that bulk keeps', () => {
  const { period } = simulation({ perSecond: 2_000, roundTripMs: 50 })
  const before = period(3)
  expect(period(100)).toBe(Math.ceil(before / 2))
  let window = 0
  for (let n = 0; n < 20; n += 1) window = period(100)
  // 15 % of 2,000 a second for 50 ms each.
  expect(window).toBe(15)
  expect(period(3)).toBeGreaterThan(window)
})

test('a few slow screens among many do not hold bulk up', () => {
  const { pace, period } = simulation({ perSecond: 400, roundTripMs: 20 })
  for (let n = 0; n < 200; n += 1) pace.interactive(n < 6 ? 500 : 2)
  expect(period(null)).toBeGreaterThanOrEqual(MIN_WINDOW_ITEMS)
  expect(pace.window()).toBeGreaterThanOrEqual(INITIAL_WINDOW_ITEMS)
})

const report = (headers: Record<string, string>) => ({
  ...{ topic: 't', partition: 0, offset: 0, key: 'k', value: Buffer.alloc(0) },
  headers: { ce_type: 'ReportGenerated', ...headers },
})

test('the dwell of an interactive screen is read from the headers of its report', () => {
  // 2026-11-21T09:00:00.000Z in the first 48 bits of a UUIDv7.
  const requestedAt = Date.UTC(2026, 10, 21, 9)
  const hex = requestedAt.toString(16).padStart(12, '0')
  const causationid = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
  const ce_time = '2026-11-21T09:00:00.042Z'
  expect(interactiveDwellMs(report({ causationid, ce_time }))).toBe(42)
  // The clocks of two machines may differ by more than a screen takes.
  expect(interactiveDwellMs(report({ causationid, ce_time: '2026-11-21T08:59:59.990Z' }))).toBe(0)
  const decided = causationid.replace('-7000-', '-5000-')
  for (const headers of [
    { ce_time },
    { causationid },
    { causationid: decided, ce_time },
    { causationid, ce_time, ce_type: 'ScreeningFailed' },
  ])
    expect(interactiveDwellMs(report(headers))).toBeNull()
})
