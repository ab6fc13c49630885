import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startLoop } from './loop.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const unexpected = (error: unknown): never => {
  throw error
}

/** A loop that records the start of each step, relative to its own start. */
function timed(options: Partial<Parameters<typeof startLoop>[0]> = {}) {
  const startMs = performance.now()
  const begunMs: number[] = []
  const step = options.step ?? (() => Promise.resolve())
  const loop = startLoop({
    restMs: 100,
    onError: unexpected,
    ...options,
    step: (signal) => (begunMs.push(performance.now() - startMs), step(signal)),
  })
  return { loop, begunMs, startMs }
}

describe('a loop', () => {
  test('steps at once, and then after each rest', async () => {
    const { loop, begunMs } = timed()
    await vi.advanceTimersByTimeAsync(250)
    expect(begunMs).toEqual([0, 100, 200])
    await loop.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('rests before the first step where that is asked for', async () => {
    const { loop, begunMs } = timed({ firstAfterMs: 30 })
    await vi.advanceTimersByTimeAsync(150)
    expect(begunMs).toEqual([30, 130])
    await loop.stop()
  })

  test('rests as long as the step says', async () => {
    const rests = [0, 10, undefined, 20]
    const { loop, begunMs } = timed({ step: () => Promise.resolve(rests.shift()) })
    await vi.advanceTimersByTimeAsync(130)
    expect(begunMs).toEqual([0, 0, 10, 110, 130])
    await loop.stop()
  })

  test('reports a failed step with the number of failures in a row, and goes on after the returned time', async () => {
    const failures: number[] = []
    let steps = 0
    const { loop, begunMs } = timed({
      step: () => (++steps === 3 ? Promise.resolve() : Promise.reject(new Error('broken'))),
      onError: (_error, count) => (failures.push(count), count * 10),
    })
    await vi.advanceTimersByTimeAsync(130)
    expect(begunMs).toEqual([0, 10, 30, 130])
    expect(failures).toEqual([1, 2, 1])
    await loop.stop()
  })

  test('a wake does not shorten the rest after a failed step', async () => {
    const { loop, begunMs } = timed({ step: () => Promise.reject(new Error('broken')), onError: () => 50 })
    await vi.advanceTimersByTimeAsync(10)
    loop.wake()
    await vi.advanceTimersByTimeAsync(50)
    expect(begunMs).toEqual([0, 50])
    await loop.stop()
  })

  test('whenever loops with a long rest begin, soon they step together, and none rests longer than it says', async () => {
    const loops: ReturnType<typeof timed>[] = []
    for (let n = 0; n < 10; n += 1) {
      loops.push(timed({ restMs: 1_000 }))
      await vi.advanceTimersByTimeAsync(110)
    }
    await vi.advanceTimersByTimeAsync(5_000)
    for (const { loop, begunMs } of loops) {
      const rests = begunMs.slice(1).map((at, index) => at - begunMs[index]!)
      expect(Math.max(...rests)).toBeLessThanOrEqual(1_000)
      expect(Math.min(...rests)).toBeGreaterThanOrEqual(500)
      await loop.stop()
    }
    const lastMs = loops.map(({ startMs, begunMs }) => startMs + begunMs.at(-1)!)
    expect(new Set(lastMs).size).toBe(1)
  })

  test('stop aborts the signal of the step, waits for it, and ignores its rejection', async () => {
    const onError = vi.fn()
    const { loop, begunMs } = timed({
      step: (signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
      onError,
    })
    await loop.stop()
    loop.wake()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begunMs).toEqual([0])
    expect(onError).not.toHaveBeenCalled()
  })
})

const event = fc.oneof(
  fc.record({ kind: fc.constant('wake' as const) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(40) }),
)
const step = fc.record({ durationMs: fc.nat(30), fails: fc.boolean() })

test('for any wakes, durations and failures: one step at a time, one after each wake, none after stop', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 40 }),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      async (events, steps) => {
        let number = 0
        let running = 0
        let lastBegunMs = -1
        const loop = startLoop({
          restMs: 50,
          onError: () => undefined,
          async step() {
            expect(++running).toBe(1)
            lastBegunMs = performance.now()
            const { durationMs, fails } = steps[number++ % steps.length]!
            await after(durationMs)
            running -= 1
            if (fails) throw new Error('broken')
          },
        })
        let wokenMs = -1
        for (const each of events) {
          if (each.kind === 'wake') {
            wokenMs = performance.now()
            loop.wake()
          } else await vi.advanceTimersByTimeAsync(each.ms)
        }
        // Time for the longest step, and for the rest after it if it failed.
        await vi.advanceTimersByTimeAsync(81)
        expect(lastBegunMs).toBeGreaterThanOrEqual(wokenMs)
        const stopped = loop.stop()
        const begun = number
        await vi.advanceTimersByTimeAsync(200)
        await stopped
        expect(running).toBe(0)
        expect(number).toBe(begun)
      },
    ),
    { numRuns: 200 },
  )
})
