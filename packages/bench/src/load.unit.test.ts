import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { arrivals, runPhase } from './load.js'

describe('open loop', () => {
  test('a stall delays every request that was due during it', async () => {
    // Given a system that blocks for 400 ms at its first request
    let blocked = false
    const send = async (): Promise<void> => {
      if (blocked) return
      blocked = true
      const until = performance.now() + 400
      while (performance.now() < until);
    }
    // When 100 requests a second are due for half a second
    const result = await runPhase({ kind: 'open', level: 100, seconds: 0.5 }, send)
    // Then far more than the one blocked request is late
    expect(result.errors).toBe(0)
    expect(result.p50Ms).toBeGreaterThan(50)
    expect(result.maxMs).toBeGreaterThanOrEqual(400)
  })

  test('arrivals have the requested rate, are in order, and are the same in every run', () => {
    const times = arrivals(200, 50)
    expect(times.length).toBeGreaterThan(9_500)
    expect(times.length).toBeLessThan(10_500)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(arrivals(200, 50)).toEqual(times)
  })
})

describe('closed loop', () => {
  test('keeps one request per client in flight', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let out = 0
    let most = 0
    const send = async (): Promise<void> => {
      out += 1
      most = Math.max(most, out)
      await new Promise((resolve) => setImmediate(resolve))
      vi.advanceTimersByTime(1)
      out -= 1
    }
    const result = await runPhase({ kind: 'closed', level: 8, seconds: 0.1 }, send)
    expect(most).toBe(8)
    expect(result.requests).toBeGreaterThanOrEqual(100)
  })
})

test('errors are counted with their messages and are not in the latencies', async () => {
  const send = (index: number): Promise<void> =>
    index % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('503 unavailable'))
  const result = await runPhase({ kind: 'open', level: 200, seconds: 0.2 }, send)
  expect(result.errors).toBe(Math.floor(result.requests / 2))
  expect(result.errorSamples).toEqual(['503 unavailable'])
})
