/** Long work yields the event loop every few milliseconds, and ends with its deadline. */
import { describe, expect, test } from 'vitest'
import { createTurns, LateError, SLICE_MS, YIELD_MS } from './turns.js'

const NEVER = Number.POSITIVE_INFINITY

/** A loop whose clock moves only with work, and whose turns end only on command. */
function startLoop() {
  let nowMs = 0
  let next: (() => void)[] = []
  const turns = createTurns({ now: () => nowMs, afterOthers: (callback) => void next.push(callback) })
  const passed: number[] = []
  return {
    turns,
    /** Milliseconds of work in each turn. */
    passed,
    async endTurn(): Promise<void> {
      const callbacks = next
      next = []
      const since = nowMs
      for (const callback of callbacks) {
        callback()
        await Promise.resolve()
      }
      // Work that continued has run until its next rest.
      for (let step = 0; step < 1_000; step++) await Promise.resolve()
      passed.push(nowMs - since)
    },
    isIdle: () => next.length === 0,
    /** Does `steps` steps of work of half a millisecond each. */
    async work(steps: number, deadlineAtMs = NEVER): Promise<void> {
      const pace = turns.until(deadlineAtMs)
      for (let step = 0; step < steps; step++) {
        const rest = pace()
        if (rest !== null) await rest
        nowMs += 0.5
      }
    },
    nowMs: () => nowMs,
  }
}

describe('the event loop', () => {
  test('is never held longer than a slice, however much there is to do at once', async () => {
    const loop = startLoop()
    const all = Promise.all([loop.work(40), loop.work(40), loop.work(40)])
    while (!loop.isIdle()) await loop.endTurn()
    await all
    expect(loop.nowMs()).toBe(60)
    expect(Math.max(...loop.passed)).toBeLessThanOrEqual(SLICE_MS + 1)
    expect(loop.passed.length).toBeGreaterThanOrEqual(60 / (SLICE_MS + 1))
  })

  test('is not left for short work', async () => {
    const loop = startLoop()
    await loop.work(SLICE_MS)
    await loop.endTurn()
    await loop.work(SLICE_MS)
    expect(loop.isIdle()).toBe(false)
    expect(loop.nowMs()).toBe(SLICE_MS)
  })
})

describe('past its deadline', () => {
  test('work ends, also where it rests', async () => {
    const loop = startLoop()
    const late = loop.work(1_000, 10)
    const ended = expect(late).rejects.toBeInstanceOf(LateError)
    const other = loop.work(40)
    while (!loop.isIdle()) await loop.endTurn()
    await ended
    await other
    // The late work did not do its remaining steps.
    expect(loop.nowMs()).toBeLessThanOrEqual(10 + 20 + 1)
  })

  test('work does not begin', async () => {
    const loop = startLoop()
    await loop.work(3)
    await expect(loop.work(1, 1)).rejects.toBeInstanceOf(LateError)
    expect(loop.nowMs()).toBe(1.5)
  })
})

test('work for which nobody waits rests long, only while a caller waits for other work', async () => {
  const pauses: number[] = []
  let nowMs = 0
  let isAwaited = true
  const turns = createTurns({
    now: () => (nowMs += SLICE_MS),
    afterOthers: (next) => void Promise.resolve().then(next),
    pause: async (durationMs) => void pauses.push(durationMs),
  })
  const work = async (steps: number, yields?: () => boolean): Promise<void> => {
    const pace = turns.until(NEVER, yields)
    for (let step = 0; step < steps; step++) {
      const rest = pace()
      if (rest !== null) await rest
    }
  }
  await work(20)
  expect(pauses).toEqual([])
  await work(20, () => isAwaited)
  const rests = pauses.length
  expect(rests).toBeGreaterThan(5)
  expect(new Set(pauses)).toEqual(new Set([YIELD_MS]))
  isAwaited = false
  await work(20, () => isAwaited)
  expect(pauses).toHaveLength(rests)
})
