import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
// This import changes the queue.
import './kafkajs.js'
import { encoded, requestBuffer } from './request-frame.js'

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

const createRequest = createRequire(import.meta.url)('kafkajs/src/protocol/request') as (request: {
  correlationId: number
  clientId: string
  request: { apiKey: number; apiVersion: number; encode: () => Promise<unknown> }
}) => Promise<{ readonly buffer: Buffer }>

async function sent(
  clientId: string,
  framed: { buffer: Buffer; start: number; end: number },
): Promise<Buffer> {
  const encode = async (): Promise<unknown> => encoded(framed)
  return (await createRequest({ correlationId: 7, clientId, request: { apiKey: 1, apiVersion: 10, encode } }))
    .buffer
}

test.each([
  ['in front of the body, where it is', 'cupel-api-0', true],
  ['in a copy, where the room in front is too small', 'c'.repeat(300), false],
])('a request’s header goes %s', async (_where, clientId, isInPlace) => {
  const { buffer, start } = requestBuffer(40)
  const end = start + buffer.write('the body of the request', start)
  const request = await sent(clientId, { buffer, start, end })
  // Kafka protocol guide, Messages: size, key, version, correlation id, client id.
  const header = Buffer.alloc(4 + 2 + 2 + 4 + 2)
  header.writeInt32BE(request.length - 4, 0)
  header.writeInt16BE(1, 4)
  header.writeInt16BE(10, 6)
  header.writeInt32BE(7, 8)
  header.writeInt16BE(clientId.length, 12)
  expect(request).toEqual(Buffer.concat([header, Buffer.from(`${clientId}the body of the request`)]))
  expect(request.buffer === buffer.buffer).toBe(isInPlace)
})
