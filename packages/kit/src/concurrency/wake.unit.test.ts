import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWake } from './wake.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Whether the wait is over after all ready callbacks have run. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false
  void wait.then(() => (over = true))
  await new Promise((resolve) => setImmediate(resolve))
  return over
}

test('a wait ends by itself at its time and not before', async () => {
  const wait = createWake().wait(100)
  vi.advanceTimersByTime(99)
  expect(await isOver(wait)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await isOver(wait)).toBe(true)
})

test('news ends a wait at once and leaves no timer', async () => {
  const wake = createWake()
  const wait = wake.wait(100)
  wake.wake()
  expect(await isOver(wait)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('news between two waits ends the next one at once, however often it came, and none after that', async () => {
  const wake = createWake()
  wake.wake()
  wake.wake()
  expect(await isOver(wake.wait(100))).toBe(true)
  expect(await isOver(wake.wait(100))).toBe(false)
})
