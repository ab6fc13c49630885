/** A broker that hangs: its requests stay open, and the others tell who leads now. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BrokerPool, REQUEST_TIMEOUT_MS, type Broker, type BrokersKnown } from './kafkajs.js'
import { inDoubt } from './overdue.js'
import { firstAnswer } from './silent-brokers.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = (): Promise<never> => new Promise(() => undefined)

test.each([
  { what: 'a plain request', ownTimeMs: 0 },
  { what: 'a long poll', ownTimeMs: 2_000 },
])(
  'while $what is overdue the leaders are asked twice a second, and no longer once it is answered',
  async ({ ownTimeMs }) => {
    let answer: (text: string) => void = () => undefined
    const doubt = vi.fn(async () => undefined)
    const waiting = inDoubt(
      new Promise<string>((resolve) => (answer = resolve)),
      REQUEST_TIMEOUT_MS + ownTimeMs,
      doubt,
    )
    await vi.advanceTimersByTimeAsync(ownTimeMs + 999)
    expect(doubt).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1_001)
    expect(doubt).toHaveBeenCalledTimes(3)
    answer('late')
    expect(await waiting).toBe('late')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(doubt).toHaveBeenCalledTimes(3)
  },
)

test('a broker that does not answer is not waited for: the next one is asked, and its answer counts', async () => {
  const asked: number[] = []
  const answer = firstAnswer([1, 2, 3], (each) => {
    asked.push(each)
    return each === 1 ? never() : Promise.resolve(`from ${each}`)
  })
  await vi.advanceTimersByTimeAsync(500)
  expect(await answer).toBe('from 2')
  expect(asked).toEqual([1, 2])
})

test('the last error is told only after every broker has refused', async () => {
  const answer = firstAnswer(['one', 'two'], (each) => Promise.reject(new Error(`${each} refuses`)))
  await expect(answer).rejects.toThrow('two refuses')
})

test('leaders are asked of brokers that answer, however the others are ordered', async () => {
  const openSince = Date.now()
  await vi.advanceTimersByTimeAsync(3_000)
  const broker = (nodeId: number, isSilent: boolean): Broker => {
    const open = { sentAt: openSince, requestTimeout: REQUEST_TIMEOUT_MS }
    const requestQueue = { inflight: new Map(isSilent ? [[1, open]] : []) }
    return {
      nodeId,
      connectionPool: { pool: [{ isConnected: () => true, requestQueue }] },
      metadata: isSilent ? never : async () => ({ controllerId: nodeId }),
    } as unknown as Broker
  }
  const brokers = { 1: broker(1, true), 2: broker(2, true), 3: broker(3, false) }
  const pool = { brokers, findBroker: async ({ nodeId }: { nodeId: 1 | 2 | 3 }) => brokers[nodeId] }
  for (let times = 0; times < 20; times += 1) {
    const asker = await BrokerPool.prototype.findConnectedBroker.call(pool as unknown as BrokersKnown)
    expect(await asker.metadata([])).toEqual({ controllerId: 3 })
  }
})
