import { expect, test } from 'vitest'
import { pauseMs } from './retry-pause.js'

test('what failed for an hour is tried again within a second, and what failed a few times is not tried at once', () => {
  const pauses = Array.from({ length: 3_600 }, (_, index) => pauseMs(index + 1))
  expect(pauses.slice(0, 4)).toEqual([100, 200, 400, 800])
  expect(Math.max(...pauses)).toBe(1_000)
})
