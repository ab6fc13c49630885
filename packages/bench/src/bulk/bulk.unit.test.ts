import { expect, test } from 'vitest'
import { renderBulk } from './render.js'
import { jainsIndex } from './run-bulk.js'

test('fairness is 1 for equal shares, and 1/n if one takes all', () => {
  expect(jainsIndex([5, 5, 5, 5])).toBe(1)
  expect(jainsIndex([20, 0, 0, 0])).toBe(0.25)
  expect(jainsIndex([0, 0])).toBe(1)
  expect(jainsIndex([30, 10])).toBeCloseTo(0.8)
})

test('the table shows each figure beside its target', () => {
  const load = {
    ...({
      kind: 'open',
      level: 50,
      seconds: 20,
      requests: 1_000,
      errors: 0,
      errorSamples: [],
      perSecond: 50,
    } as const),
    ...{ p50Ms: 2, p95Ms: 8, p99Ms: 12, maxMs: 20 },
  }
  const text = renderBulk({
    ...{ date: '2026-11-21', cores: 2, loadAverage: 0.1, perSecond: 50 },
    rows: [
      {
        profile: 'kafka',
        singleMs: [900, 700, 800],
        sustained: { addressesPerSecond: 2_100, memory: [{ process: 'scorer', peakMib: 120 }] },
        beside: { idle: load, loaded: { ...load, p95Ms: 20 }, addressesPerSecond: 600, fairness: 0.9991 },
      },
    ],
  })
  expect(text).toContain(
    '| kafka | 1,000 addresses, POST to ended, median / worst | 800 / 900 ms | ≤ 1.5 s, webhook included |',
  )
  expect(text).toContain('8 ms, 20 ms (0 errors) | ≤ 3 × idle')
  expect(text).toContain('0.9991 | ≥ 0.98')
})
