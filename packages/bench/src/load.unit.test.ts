import { expect, test } from 'vitest'
import { arrivals, percentilesOf, runPhase } from './load.js'
import { jainsIndex } from './run-load.js'

test('a stall of an open loop delays every request that was due during it', async () => {
  let isBlocked = false
  const send = async (): Promise<void> => {
    if (isBlocked) return
    isBlocked = true
    const until = performance.now() + 400
    while (performance.now() < until);
  }
  const result = await runPhase({ kind: 'open', level: 100, seconds: 0.5 }, send)
  expect(result.errors).toBe(0)
  expect(result.latenciesMs.filter((ms) => ms > 50).length).toBeGreaterThan(result.requests / 2)
  expect(Math.max(...result.latenciesMs)).toBeGreaterThanOrEqual(400)
})

test('arrivals have the requested rate, are in order, and are the same in every run', () => {
  const times = arrivals(200, 50)
  expect(times.length).toBeGreaterThan(9_500)
  expect(times.length).toBeLessThan(10_500)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(arrivals(200, 50)).toEqual(times)
})

test('a closed loop keeps one request for each client under way', async () => {
  let [out, most] = [0, 0]
  const send = async (): Promise<void> => {
    most = Math.max(most, (out += 1))
    await new Promise((resolve) => setImmediate(resolve))
    out -= 1
  }
  const result = await runPhase({ kind: 'closed', level: 8, seconds: 0.1 }, send)
  expect(most).toBe(8)
  expect(result.requests).toBeGreaterThanOrEqual(8)
})

test('errors are counted with their messages and are not in the latencies', async () => {
  const send = (index: number): Promise<void> =>
    index % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('503 unavailable'))
  const result = await runPhase({ kind: 'open', level: 200, seconds: 0.2 }, send)
  expect(result.errors).toBe(Math.floor(result.requests / 2))
  expect(result.latenciesMs).toHaveLength(result.requests - result.errors)
  expect(result.errorSamples).toEqual(['503 unavailable'])
})

test('a phase without an answer shows a dash in place of percentiles', async () => {
  const result = await runPhase({ kind: 'open', level: 50, seconds: 0.1 }, () =>
    Promise.reject(new Error('no')),
  )
  expect(percentilesOf(result)).toBe('—')
  expect(percentilesOf(null)).toBe('—')
})

test('fairness is 1 for equal shares, and 1/n if one takes all', () => {
  expect(jainsIndex([5, 5, 5, 5])).toBe(1)
  expect(jainsIndex([20, 0, 0, 0])).toBe(0.25)
  expect(jainsIndex([0, 0])).toBe(1)
})
