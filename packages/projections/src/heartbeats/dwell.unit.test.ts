import type { Queryable } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tellDwells } from './dwell.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** What is told, as the number of screens and that of late ones. */
function telling() {
  const told: unknown[] = []
  const execute = async (_statement: unknown, [, screens, lateScreens]: unknown[]): Promise<number> =>
    told.push([screens, lateScreens])
  const dwells = tellDwells({ execute } as unknown as Queryable, {
    targetMs: 25,
    onError: (error) => told.push(error),
  })
  return { told, dwells }
}

test('screens in time share a message of each second', async () => {
  const { told, dwells } = telling()
  for (let n = 0; n < 40; n += 1) {
    dwells.decided(25)
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(told).toEqual([
    [20, 0],
    [40, 0],
  ])
})

test('a late screen is told before the next look of the coordinator, with those before it', async () => {
  const { told, dwells } = telling()
  dwells.decided(3)
  await vi.advanceTimersByTimeAsync(500)
  for (let n = 0; n < 10; n += 1) {
    dwells.decided(26)
    await vi.advanceTimersByTimeAsync(25)
  }
  expect(told).toEqual([
    [6, 5],
    [11, 10],
  ])
})
