import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPauses, turnsOnly, type Pauses, type PausesOptions } from './pauses.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Pauses that take no time, and the length of each in milliseconds. */
function recorded(options: Omit<PausesOptions, 'rest'>): { pauses: Pauses; taken: number[] } {
  const taken: number[] = []
  const rest = async (ms: number): Promise<void> => void taken.push(ms)
  return { pauses: createPauses({ ...options, rest }), taken }
}

/** Works for so long, and then pauses if it may not go on; resolves to whether it paused. */
async function piece(workMs: number, pauses: Pauses): Promise<boolean> {
  vi.advanceTimersByTime(workMs)
  const pause = pauses.next()
  await pause
  return pause !== undefined
}

test('work goes on at once until its piece is two milliseconds long, and then pauses for a multiple of it', async () => {
  const { pauses, taken } = recorded({ factor: 4, totalMs: 1_000 })
  const paused = []
  for (const workMs of [1, 0.5, 0.5, 1.5, 1.5]) paused.push(await piece(workMs, pauses))
  expect(paused).toEqual([false, false, true, false, true])
  expect(taken).toEqual([8, 12])
})

test('the time of a pause is not a part of the next piece', async () => {
  const rest = async (ms: number): Promise<void> => void vi.advanceTimersByTime(ms)
  const pauses = createPauses({ factor: 4, totalMs: 1_000, rest })
  expect([await piece(5, pauses), await piece(1, pauses)]).toEqual([true, false])
})

test('a pause is 25 milliseconds at most, and when they have taken their time there are turns of the event loop', async () => {
  const { pauses, taken } = recorded({ factor: 4, totalMs: 60 })
  for (let index = 0; index < 5; index += 1) expect(await piece(100, pauses)).toBe(true)
  expect(taken).toEqual([25, 25, 10])
})

test('an abort ends the pause, and leaves turns of the event loop', async () => {
  const stopping = new AbortController()
  const { signal } = stopping
  const rests: Promise<void>[] = []
  const rest = (_: number, of: AbortSignal): Promise<void> => {
    const ended = new Promise<void>((resolve) => of.addEventListener('abort', () => resolve()))
    rests.push(ended)
    return ended
  }

  const pauses = createPauses({ factor: 4, totalMs: 1_000, signal, rest })
  vi.advanceTimersByTime(5)
  const pause = pauses.next()
  stopping.abort()
  await pause
  expect(await piece(5, pauses)).toBe(true)
  expect(rests).toHaveLength(1)
})

test('turns by themselves take no time', async () => {
  const pauses = turnsOnly()
  expect([await piece(1, pauses), await piece(50, pauses)]).toEqual([false, true])
})
