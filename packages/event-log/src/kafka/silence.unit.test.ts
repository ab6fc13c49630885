import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SILENCE_LIMIT_MS, watchSilence } from './silence.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a reader that does something now and then is not stopped', () => {
  let activeAt = Date.now()
  const onSilent = vi.fn()
  const end = watchSilence(() => activeAt, onSilent)
  for (let round = 0; round < 10; round += 1) {
    vi.advanceTimersByTime(SILENCE_LIMIT_MS - 1_000)
    activeAt = Date.now()
  }
  expect(onSilent).not.toHaveBeenCalled()
  end()
})

test('silence is told once', () => {
  const startedAt = Date.now()
  const onSilent = vi.fn()
  watchSilence(() => startedAt, onSilent)
  vi.advanceTimersByTime(SILENCE_LIMIT_MS)
  expect(onSilent).not.toHaveBeenCalled()
  vi.advanceTimersByTime(SILENCE_LIMIT_MS)
  expect(onSilent).toHaveBeenCalledTimes(1)
})

test('a process that stood still itself is not taken for a silent reader', () => {
  let activeAt = Date.now()
  const onSilent = vi.fn()
  watchSilence(() => activeAt, onSilent)
  // The clock jumps. This timer happens to run before all others; then the reader gets its turn.
  vi.setSystemTime(Date.now() + 10 * SILENCE_LIMIT_MS)
  vi.advanceTimersByTime(5_000)
  activeAt = Date.now()
  vi.advanceTimersByTime(30_000)
  expect(onSilent).not.toHaveBeenCalled()
})

test('an ended watch says nothing', () => {
  const startedAt = Date.now()
  const onSilent = vi.fn()
  watchSilence(() => startedAt, onSilent)()
  vi.advanceTimersByTime(10 * SILENCE_LIMIT_MS)
  expect(onSilent).not.toHaveBeenCalled()
})
