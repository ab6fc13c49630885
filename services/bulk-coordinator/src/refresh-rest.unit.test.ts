/** The rest between two readings: short while there is work, longer after a slow reading, and never so long that a new job waits for it. */
import { expect, test } from 'vitest'
import { LONGEST_REFRESH_REST_MS, refreshRestMs } from './refresh-rest.js'

test.each([
  [1, true, 50],
  [1, false, 250],
  [30, true, 300],
  [30, false, 300],
])('after a reading of %d ms, under way: %s, the rest is %d ms', (tookMs, isUnderWay, restMs) => {
  expect(refreshRestMs(tookMs, isUnderWay)).toBe(restMs)
})

test('a reading that stood still for seconds delays the next one by no more than the longest rest', () => {
  for (const tookMs of [1_000, 4_000, 60_000])
    expect(refreshRestMs(tookMs, false)).toBe(LONGEST_REFRESH_REST_MS)
  expect(LONGEST_REFRESH_REST_MS).toBeLessThan(5_000)
})
