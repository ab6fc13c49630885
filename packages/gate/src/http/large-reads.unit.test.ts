import { EventEmitter } from 'node:events'
import { noMetrics, silentLogger } from '@cupel/contracts'
import { answerLimits } from '@cupel/kit/http-edge'
import { until } from '@cupel/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLargeReads, type LargeRead } from './large-reads.js'
import type { Answer } from './answer.js'
import type { Refusal } from './problem.js'
import { createTraffic } from './traffic.js'

const LIMITS = { maxPerKey: 2, maxPerAccount: 3 }
const reads = () =>
  createLargeReads({ logger: silentLogger, metrics: noMetrics, traffic: createTraffic(), limits: LIMITS })
const caller = (keyId: string, accountId = keyId) => ({ keyId, accountId, plan: 'pro' as const })
const codeOf = (read: LargeRead | Refusal): string | null => ('code' in read ? read.code : null)

test('a key, and an account, has so many large answers under way and no more, until one has ended', () => {
  const large = reads()
  const first = large.open(caller('a', 'acc')) as LargeRead
  expect([codeOf(large.open(caller('a', 'acc'))), codeOf(large.open(caller('a', 'acc')))]).toEqual([
    null,
    'rate_limited',
  ])
  expect([codeOf(large.open(caller('b', 'acc'))), codeOf(large.open(caller('b', 'acc')))]).toEqual([
    null,
    'rate_limited',
  ])
  first.close()
  first.close()
  expect([codeOf(large.open(caller('b', 'acc'))), codeOf(large.open(caller('b', 'acc')))]).toEqual([
    null,
    'rate_limited',
  ])
})

test('one slice is made at a time, by turns, and a slice that fails stops no other answer', async () => {
  const large = reads()
  const [one, other] = [large.open(caller('a')), large.open(caller('b'))] as [LargeRead, LargeRead]
  const made: string[] = []
  let underWay = 0
  const slice = (read: LargeRead, name: string): Promise<void> =>
    read.slice(async () => {
      underWay += 1
      expect(underWay).toBe(1)
      await Promise.resolve()
      made.push(name)
      underWay -= 1
      if (name === 'fails') throw new Error('The store is down')
    })
  const all = [slice(one, 'a1'), slice(other, 'fails'), slice(one, 'a2'), slice(other, 'b2')]
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(made.slice(0, 2)).toEqual(['a1', 'fails'])
  // Each account has its own rest.
  expect(made.slice(2).toSorted()).toEqual(['a2', 'b2'])
})

test('a slice is followed by a rest: nine times as long as it took while another account calls, longer for an account that reads much', async () => {
  const SLICE_MS = 15
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const [rests, ofAll] = [[] as number[], [] as number[]]
  let nowMs = 0
  const traffic = createTraffic(() => nowMs)
  const large = createLargeReads({
    ...{ logger: silentLogger, metrics: noMetrics, traffic },
    rest: (ms) => Promise.resolve(rests.push(ms)),
    now: () => nowMs,
  })
  const read = large.open(caller('a')) as LargeRead
  const factor = async (sliceMs = SLICE_MS): Promise<number> => {
    const before = rests.length
    await read.slice(async () => void vi.advanceTimersByTime(sliceMs))
    // The rests of all accounts and of this account begin after the slice.
    await until(() => expect(rests).toHaveLength(before + 2))
    ofAll.push(rests.at(-2)! / SLICE_MS)
    return rests.at(-1)! / SLICE_MS
  }
  traffic.note('a')
  expect(await factor()).toBe(1)
  traffic.note('b')
  traffic.note('a')
  expect([await factor(), await factor()]).toEqual([9, 9])
  // The fourth slice of two seconds.
  expect(await factor()).toBe(29)
  expect(ofAll).toEqual([1, 3, 3, 3])
  await factor(60_000)
  expect(rests.slice(-2)).toEqual([500, 1_500])
  nowMs = 2_000
  traffic.note('b')
  expect(await factor()).toBe(9)
  nowMs = 3_001
  traffic.note('a')
  expect(await factor()).toBe(1)
})

test('the rest of an account that reads much holds up its own slices, and not those of others', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const traffic = createTraffic(() => 0)
  traffic.note('greedy')
  traffic.note('other')
  const ended: (() => void)[] = []
  const large = createLargeReads({
    ...{ logger: silentLogger, metrics: noMetrics, traffic },
    // The rests of all accounts are the short ones.
    rest: (ms) => (ms < 50 ? Promise.resolve() : new Promise<void>((resolve) => ended.push(resolve))),
    now: () => 0,
  })
  const [greedy, other] = [large.open(caller('greedy')), large.open(caller('other'))] as [
    LargeRead,
    LargeRead,
  ]
  const made: string[] = []
  const slice = (read: LargeRead, name: string): Promise<unknown> =>
    read.slice(async () => {
      vi.advanceTimersByTime(10)
      made.push(name)
    })
  await slice(greedy, 'greedy 1')
  const second = slice(greedy, 'greedy 2')
  await slice(other, 'other 1')
  expect(made).toEqual(['greedy 1', 'other 1'])
  for (const end of ended.splice(0)) end()
  await second
  expect(made).toEqual(['greedy 1', 'other 1', 'greedy 2'])
})

test('what a thread of its own does waits for the rest of its account, and for no other account', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const traffic = createTraffic(() => 0)
  traffic.note('greedy')
  traffic.note('other')
  const [rests, ended] = [[] as number[], [] as (() => void)[]]
  const large = createLargeReads({
    ...{ logger: silentLogger, metrics: noMetrics, traffic },
    rest: (ms) => (rests.push(ms), new Promise<void>((resolve) => ended.push(resolve))),
    now: () => 0,
  })
  const [greedy, other] = [large.open(caller('greedy')), large.open(caller('other'))] as [
    LargeRead,
    LargeRead,
  ]
  const made: string[] = []
  const render = (read: LargeRead, name: string): Promise<unknown> =>
    read.aside(async () => {
      vi.advanceTimersByTime(20)
      made.push(name)
    })
  await render(greedy, 'greedy 1')
  const second = render(greedy, 'greedy 2')
  await render(other, 'other 1')
  // The other key rests as well.
  const slice = other.slice(async () => void made.push('other 2'))
  expect(made).toEqual(['greedy 1', 'other 1'])
  for (const end of ended.splice(0)) end()
  await Promise.all([second, slice])
  expect(made.toSorted()).toEqual(['greedy 1', 'greedy 2', 'other 1', 'other 2'])
  expect(rests.slice(0, 2)).toEqual([480, 480])
})

test('after a document a key rests longer than after a slice, and five seconds at most', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const traffic = createTraffic(() => 0)
  traffic.note('greedy')
  traffic.note('other')
  const rests: number[] = []
  const rest = (ms: number): Promise<unknown> => Promise.resolve(rests.push(ms))
  const large = createLargeReads({ logger: silentLogger, metrics: noMetrics, traffic, rest, now: () => 0 })
  const greedy = large.open(caller('greedy')) as LargeRead
  for (const tookMs of [100, 60_000]) await greedy.aside(async () => void vi.advanceTimersByTime(tookMs))
  await until(() => expect(rests).toEqual([2_400, 5_000]))
})

test('a read is closed when its work ends or fails, and stays open while its answer is streamed', async () => {
  const large = reads()
  const isOpen = async (work: () => Promise<Answer>): Promise<boolean> => {
    const closed: string[] = []
    let kept: LargeRead | null = null
    await large
      .during(caller('a'), async (read) => {
        kept = read
        return await work()
      })
      .catch((error: unknown) => closed.push(String(error)))
    const others = [large.open(caller('a')), large.open(caller('a'))]
    const isKept = codeOf(others[1]!) === 'rate_limited'
    for (const other of others) if (!('code' in other)) other.close()
    kept!.close()
    return isKept
  }
  const plain = { status: 200, contentType: 'text/plain', body: '' } as const
  expect(await isOpen(() => Promise.resolve(plain))).toBe(false)
  expect(await isOpen(() => Promise.reject(new Error('The store is down')))).toBe(false)
  expect(await isOpen(() => Promise.resolve({ ...plain, body: null, stream: () => undefined }))).toBe(true)
})

test('a second key of an account waits for the rest of the first, in slices and in threads', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const traffic = createTraffic(() => 0)
  traffic.note('greedy')
  traffic.note('other')
  const ended: (() => void)[] = []
  const large = createLargeReads({
    ...{ logger: silentLogger, metrics: noMetrics, traffic },
    rest: () => new Promise<void>((resolve) => ended.push(resolve)),
    now: () => 0,
  })
  const keys = ['one', 'two'].map((keyId) => large.open(caller(keyId, 'greedy')) as LargeRead)
  const made: number[] = []
  const render = keys.map((read, index) =>
    read.aside(async () => {
      vi.advanceTimersByTime(10)
      made.push(index)
    }),
  )
  await render[0]
  await until(() => expect(ended).toHaveLength(1))
  expect(made).toEqual([0])
  ended[0]!()
  await render[1]
  expect(made).toEqual([0, 1])
})

test('a reader of a streamed answer who takes nothing loses the connection, and the read is closed', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const large = reads()
  const left: string[] = []
  const chunks = {
    ...{ next: () => Promise.resolve({ done: false as const, value: new Uint8Array(1) }) },
    return: () => Promise.resolve(left.push('chunks')),
    [Symbol.asyncIterator]() {
      return this as unknown as AsyncIterator<Uint8Array>
    },
  }
  const events = new EventEmitter()
  const response = Object.assign(events, {
    destroyed: false,
    write: () => false,
    destroy() {
      response.destroyed = true
      events.emit('close')
    },
  })
  const read = large.open(caller('a')) as LargeRead
  large.answer(read, { contentType: 'text/csv' }, chunks).stream!(response as never)
  await vi.advanceTimersByTimeAsync(answerLimits.patienceMs - 1)
  expect(response.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect([response.destroyed, left]).toEqual([true, ['chunks']])
  expect([large.open(caller('a')), large.open(caller('a'))].map(codeOf)).toEqual([null, null])
})
