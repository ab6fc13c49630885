import { noMetrics, silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLargeReads, type LargeRead } from './large-reads.js'
import type { Answer } from './answer.js'
import type { Refusal } from './problem.js'
import { createTraffic } from './traffic.js'

const LIMITS = { maxPerKey: 2, maxPerAccount: 3 }
const reads = () =>
  createLargeReads({ logger: silentLogger, metrics: noMetrics, traffic: createTraffic(), limits: LIMITS })
const caller = (keyId: string) => ({ keyId, accountId: 'acc', plan: 'pro' as const })
const codeOf = (read: LargeRead | Refusal): string | null => ('code' in read ? read.code : null)

test('a key, and an account, has so many large answers under way and no more, until one has ended', () => {
  const large = reads()
  const first = large.open(caller('a')) as LargeRead
  expect([codeOf(large.open(caller('a'))), codeOf(large.open(caller('a')))]).toEqual([null, 'rate_limited'])
  expect([codeOf(large.open(caller('b'))), codeOf(large.open(caller('b')))]).toEqual([null, 'rate_limited'])
  first.close()
  first.close()
  expect([codeOf(large.open(caller('b'))), codeOf(large.open(caller('b')))]).toEqual([null, 'rate_limited'])
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
  expect(made).toEqual(['a1', 'fails', 'a2', 'b2'])
})

test('a slice is followed by a rest: nine times as long as it took while another key calls, longer for a key that reads much', async () => {
  const SLICE_MS = 15
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const rests: number[] = []
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
    // The rest begins behind the slice.
    await until(() => expect(rests).toHaveLength(before + 1))
    return rests.at(-1)! / SLICE_MS
  }
  traffic.note('a')
  expect(await factor()).toBe(1)
  traffic.note('b')
  traffic.note('a')
  expect([await factor(), await factor()]).toEqual([9, 9])
  // The fourth slice of two seconds.
  expect(await factor()).toBe(29)
  await factor(60_000)
  expect(rests.at(-1)).toBe(500)
  nowMs = 2_000
  traffic.note('b')
  expect(await factor()).toBe(9)
  nowMs = 3_001
  traffic.note('a')
  expect(await factor()).toBe(1)
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
