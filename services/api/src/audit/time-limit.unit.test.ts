import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTimeLimit, TOO_LATE } from './time-limit.js'

const LIMIT_MS = 250

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<never>(() => undefined)

/** What a piece of work has come to by now. */
function follow(work: Promise<unknown>): { readonly outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'waiting' }
  work.then(
    (result) => (seen.outcome = result),
    (error: unknown) => (seen.outcome = error),
  )
  return seen
}

test('work that ends in time ends as it did, an error included', async () => {
  const within = createTimeLimit(LIMIT_MS)
  await expect(within(Promise.resolve('done'))).resolves.toBe('done')
  await expect(within(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('each piece of work has the whole limit and no more, whatever others wait', async () => {
  const within = createTimeLimit(LIMIT_MS)
  const first = follow(within(never))
  await vi.advanceTimersByTimeAsync(100)
  const second = follow(within(never))
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 101)
  expect([first.outcome, second.outcome]).toEqual(['waiting', 'waiting'])
  await vi.advanceTimersByTimeAsync(1)
  expect([first.outcome, second.outcome]).toEqual([TOO_LATE, 'waiting'])
  await vi.advanceTimersByTimeAsync(99)
  expect(second.outcome).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1)
  expect(second.outcome).toBe(TOO_LATE)
})

test('what comes after the limit changes nothing, and nobody misses the error', async () => {
  const within = createTimeLimit(LIMIT_MS)
  let reject: (error: Error) => void = () => undefined
  const late = follow(within(new Promise((_resolve, rejected) => (reject = rejected))))
  await vi.advanceTimersByTimeAsync(LIMIT_MS)
  reject(new Error('broken'))
  await vi.advanceTimersByTimeAsync(1)
  expect(late.outcome).toBe(TOO_LATE)
})

test('one timer watches any number of them, and none runs once all have ended', async () => {
  const within = createTimeLimit(LIMIT_MS)
  for (let count = 0; count < 1_000; count += 1) void within(Promise.resolve(count))
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(LIMIT_MS)
  expect(vi.getTimerCount()).toBe(0)
})
