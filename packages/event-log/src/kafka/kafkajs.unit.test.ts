import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import './kafkajs.js'

interface Queue {
  readonly inflight: Map<number, object>
  scheduleRequestTimeoutCheck(): void
  destroy(): void
}
const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
  options: object,
) => Queue

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function queue(isConnected: () => boolean): Queue {
  return new RequestQueue({ requestTimeout: 5_000, enforceRequestTimeout: true, isConnected })
}

test('a request that is not answered ends within a second of its limit, and one within its limit goes on', () => {
  const watched = queue(() => true)
  const ended: string[] = []
  const request = (name: string, requestTimeout: number) => ({
    sentAt: Date.now(),
    requestTimeout,
    timeoutRequest: () => ended.push(name),
  })
  watched.inflight.set(1, request('late', 5_000)).set(2, request('long poll', 60_000))
  watched.scheduleRequestTimeoutCheck()
  vi.advanceTimersByTime(5_000)
  expect(ended).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(ended).toEqual(['late'])
  watched.destroy()
})

test('an idle connection is looked at once a second, and no longer once it is gone', () => {
  let looks = 0
  let isConnected = true
  const watched = queue(() => (looks++, isConnected))
  watched.scheduleRequestTimeoutCheck()
  vi.advanceTimersByTime(10_000)
  expect(looks).toBe(10)
  isConnected = false
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
})
