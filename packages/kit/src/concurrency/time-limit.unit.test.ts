import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTimeLimit, LATE, withinMs, type TimeLimit } from './time-limit.js'

const LIMIT_MS = 250
const never = new Promise<never>(() => undefined)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limits: readonly [string, () => TimeLimit][] = [
  ['a shared limit', () => createTimeLimit(LIMIT_MS)],
  ['a limit for one piece of work', () => (work) => withinMs(LIMIT_MS, work)],
]

describe.each(limits)('%s', (_name, create) => {
  test('work that settles in time settles the wait, an error included', async () => {
    const within = create()
    await expect(within(Promise.resolve('done'))).resolves.toBe('done')
    await expect(within(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  test('an error after the limit is ignored and is not an unhandled rejection', async () => {
    let reject: (error: Error) => void = () => undefined
    const late = create()(new Promise((_resolve, rejected) => (reject = rejected)))
    await vi.advanceTimersByTimeAsync(LIMIT_MS)
    reject(new Error('broken'))
    await expect(late).resolves.toBe(LATE)
  })

  test('for any starts and durations each piece of work has the whole limit and no more', async () => {
    const piece = fc.record({ startMs: fc.nat(600), durationMs: fc.nat(2 * LIMIT_MS) })
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const within = create()
        const outcomes = pieces.map(async ({ startMs, durationMs }, index) => {
          await after(startMs)
          const since = performance.now()
          const outcome = await within(after(durationMs).then(() => index))
          return { outcome, tookMs: performance.now() - since }
        })
        await vi.runAllTimersAsync()
        for (const [index, { outcome, tookMs }] of (await Promise.all(outcomes)).entries()) {
          const { durationMs } = pieces[index]!
          if (durationMs === LIMIT_MS) continue
          expect(outcome).toBe(durationMs < LIMIT_MS ? index : LATE)
          expect(tookMs).toBe(Math.min(durationMs, LIMIT_MS))
        }
      }),
      { numRuns: 100 },
    )
  })
})

test('pieces of work with a shared limit share one timer, and none is left once the limit has passed', async () => {
  const within = createTimeLimit(LIMIT_MS)
  for (let count = 0; count < 1_000; count += 1) void within(Promise.resolve(count))
  void within(never)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(LIMIT_MS)
  expect(vi.getTimerCount()).toBe(0)
})

test('a single piece of work that settles in time leaves no timer behind', async () => {
  await withinMs(LIMIT_MS, Promise.resolve('done'))
  expect(vi.getTimerCount()).toBe(0)
})

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
