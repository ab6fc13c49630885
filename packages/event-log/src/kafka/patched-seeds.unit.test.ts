/** A client whose first configured broker hangs: it accepts the connection, and nothing follows. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BrokerPool, type Seed } from './kafkajs.js'
import './patched-seeds.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const seed = (connect: () => Promise<void>) => ({
  ...{ versions: 'known', connect: vi.fn(connect), disconnect: vi.fn(async () => undefined) },
})
const hangs = () => seed(() => new Promise(() => undefined))
const answers = () => seed(async () => undefined)
const refuses = (name: string) => seed(() => Promise.reject(new Error(`${name} refuses`)))

/** The pool that kafkajs makes of these brokers, in their order; one attempt. */
function poolOf(...seeds: Seed[]) {
  const left = [...seeds]
  return {
    brokers: {},
    versions: null as unknown,
    seedBroker: left.shift(),
    hasConnectedBrokers: () => false,
    async createSeedBroker(this: { seedBroker: Seed | undefined }) {
      this.seedBroker = left.shift()
    },
    retrier: (work: (bail: (error: unknown) => void) => Promise<void>) =>
      new Promise<void>((resolve, reject) => void work(reject).then(resolve, reject)),
  }
}
const connect = (pool: ReturnType<typeof poolOf>): Promise<void> =>
  BrokerPool.prototype.connect.call(pool as never)

test('the next broker is tried after a second, and the one that hangs is left', async () => {
  const [first, second] = [hangs(), answers()]
  const pool = poolOf(first, second)
  const connected = connect(pool)
  await vi.advanceTimersByTimeAsync(999)
  expect(second.connect).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await connected
  expect([pool.seedBroker, pool.versions]).toEqual([second, 'known'])
  expect(first.disconnect).toHaveBeenCalled()
  expect(second.disconnect).not.toHaveBeenCalled()
})

test('a broker that answers late is used if the next one is not quicker', async () => {
  const late = seed(() => new Promise((resolve) => setTimeout(resolve, 1_500)))
  const other = hangs()
  const pool = poolOf(late, other)
  const connected = connect(pool)
  await vi.advanceTimersByTimeAsync(1_500)
  await connected
  expect(pool.seedBroker).toBe(late)
  expect(other.disconnect).toHaveBeenCalled()
})

test('a broker that refuses is told at once, for the next attempt with another one', async () => {
  const next = answers()
  const pool = poolOf(refuses('the first'), next)
  await expect(connect(pool)).rejects.toThrow('the first refuses')
  expect(pool.seedBroker).toBe(next)
})
