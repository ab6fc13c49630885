import { silentLogger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogRecord, LogStoppedError } from '../port.js'
import { createFeedHub, POLL_INTERVAL_MS, QUIET_POLL_INTERVAL_MS } from './partition-feed.js'

const address = { id: 7, topic: 't', partition: 0 }
const limits = { records: 100, bytes: 1_000_000 }
const records = (from: number, count: number, bytes = 1): LogRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    topic: 't',
    partition: 0,
    offset: from + index,
    key: 'k',
    value: Buffer.alloc(bytes),
    headers: {},
  }))
const offsets = (found: readonly LogRecord[] | null) => found?.map((record) => record.offset) ?? null

/** A hub whose database returns the answer of the case. */
function hub(answer: () => Promise<{ end: number; logId?: string }>) {
  const query = async () => {
    const { end, logId = 'log' } = await answer()
    return [{ id: 7, end_offset: end, log_id: logId }]
  }
  return createFeedHub({
    database: { query } as unknown as Database,
    logId: () => 'log',
    logger: silentLogger,
  })
}
const listener = () => {
  const stops: LogStoppedError[] = []
  return { stops, onNews: vi.fn(), onStopped: (error: LogStoppedError) => stops.push(error) }
}
beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('what was appended here is at hand, from any position within it', () => {
  const feeds = hub(async () => ({ end: 10 }))
  const reader = listener()
  const feed = feeds.open(address, 10, reader)
  feeds.push(7, records(10, 3))
  feeds.push(7, records(13, 2))
  expect(reader.onNews).toHaveBeenCalledTimes(2)
  expect(feed.end()).toBe(15)
  expect(offsets(feed.recent(10, limits))).toEqual([10, 11, 12, 13, 14])
  expect(offsets(feed.recent(12, limits))).toEqual([12, 13, 14])
  expect(offsets(feed.recent(11, { ...limits, records: 2 }))).toEqual([11, 12])
  expect(feed.recent(9, limits)).toBeNull()
  expect(feed.recent(15, limits)).toBeNull()
  feeds.close()
})

test('records of another process in between are not glossed over', () => {
  const feeds = hub(async () => ({ end: 0 }))
  const feed = feeds.open(address, 0, listener())
  feeds.push(7, records(0, 2))
  feeds.push(7, records(5, 1))
  expect(feed.recent(0, limits)).toBeNull()
  expect(feed.recent(2, limits)).toBeNull()
  expect(offsets(feed.recent(5, limits))).toEqual([5])
  feeds.close()
})

test('memory is bounded: the oldest are forgotten, a single large record is kept', () => {
  const feeds = hub(async () => ({ end: 0 }))
  const feed = feeds.open(address, 0, listener())
  for (let at = 0; at < 40; at++) feeds.push(7, records(at, 1, 300_000))
  expect(feed.recent(12, limits)).toBeNull()
  expect(feed.recent(13, limits)).not.toBeNull()
  feeds.push(7, records(40, 1, 9_000_000))
  expect(offsets(feed.recent(40, { records: 1, bytes: 10 }))).toEqual([40])
  feeds.close()
})

test('memory is bounded for records of few bytes too, which take more than their bytes', () => {
  const feeds = hub(async () => ({ end: 0 }))
  const feed = feeds.open(address, 0, listener())
  for (let at = 0; at < 20_000; at += 1_000) feeds.push(7, records(at, 1_000))
  expect(feed.recent(3_999, limits)).toBeNull()
  expect(feed.recent(4_000, limits)).not.toBeNull()
  feeds.close()
})

test('what every reader has read is forgotten first', () => {
  const feeds = hub(async () => ({ end: 0 }))
  const [slow, fast] = [feeds.open(address, 0, listener()), feeds.open(address, 0, listener())]
  const append = (at: number) => {
    feeds.push(7, records(at, 1, 300_000))
    expect(offsets(fast.recent(at, limits))).toEqual([at])
  }
  for (let at = 0; at < 10; at++) append(at)
  expect(offsets(slow.recent(0, { records: 8, bytes: Infinity }))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  append(10)
  expect(slow.recent(7, limits)).toBeNull()
  expect(offsets(slow.recent(8, { records: 1, bytes: 1 }))).toEqual([8])
  slow.close()
  append(11)
  expect(fast.recent(8, limits)).toBeNull()
  feeds.close()
})

test('busy partitions share the memory that is more than each always has, and give it back', () => {
  const feeds = hub(async () => ({ end: 0 }))
  const fill = (id: number) => {
    const feed = feeds.open({ ...address, id }, 0, listener())
    for (let at = 0; at < 26; at++) feeds.push(id, records(at, 1, 300_000))
    return feed
  }
  const [first, second] = [fill(7), fill(8)]
  expect([first.recent(0, limits), second.recent(0, limits)]).not.toContain(null)
  const third = fill(9)
  expect(third.recent(0, limits)).toBeNull()
  expect(third.recent(23, limits)).not.toBeNull()
  first.close()
  second.close()
  expect(fill(10).recent(0, limits)).not.toBeNull()
  feeds.close()
})

test('an answer older than what was appended meanwhile is not a loss', async () => {
  let answer: (end: { end: number }) => void = () => undefined
  const feeds = hub(() => new Promise((resolve) => (answer = resolve)))
  const reader = listener()
  const feed = feeds.open(address, 3, reader)
  await vi.advanceTimersByTimeAsync(POLL_INTERVAL_MS)
  feeds.push(7, records(3, 2))
  answer({ end: 3 })
  await vi.advanceTimersByTimeAsync(0)
  expect(reader.stops).toEqual([])
  expect(feed.end()).toBe(5)
  feeds.close()
})

test.each([
  ['an end before the one it had', { end: 2 }, 'beyond-end'],
  ['another log', { end: 3, logId: 'other' }, 'foreign-log'],
])('%s stops the readers', async (_, answer, reason) => {
  const feeds = hub(async () => answer)
  const reader = listener()
  feeds.open(address, 3, reader)
  await vi.advanceTimersByTimeAsync(POLL_INTERVAL_MS)
  expect(reader.stops.map((stop) => stop.reason)).toEqual([reason])
  feeds.close()
})

test('a database that does not answer is asked again', async () => {
  let away = true
  const feeds = hub(async () => {
    if (away) throw new Error('away')
    return { end: 4 }
  })
  const feed = feeds.open(address, 3, listener())
  await vi.advanceTimersByTimeAsync(3 * POLL_INTERVAL_MS)
  expect(feed.reachable()).toBe(false)
  away = false
  await vi.advanceTimersByTimeAsync(POLL_INTERVAL_MS)
  expect(feed.reachable()).toBe(true)
  expect(feed.end()).toBe(4)
  feeds.close()
})

test('nobody reads, nobody asks', async () => {
  const answer = vi.fn(async () => ({ end: 3 }))
  const feeds = hub(answer)
  feeds.open(address, 3, listener()).close()
  expect(feeds.isFollowed(7)).toBe(false)
  await vi.advanceTimersByTimeAsync(5 * POLL_INTERVAL_MS)
  expect(answer).not.toHaveBeenCalled()
  feeds.close()
})

test('after a while without records of another process the database is asked less often, until one comes', async () => {
  let end = 3
  const answer = vi.fn(async () => ({ end }))
  const feeds = hub(answer)
  const feed = feeds.open(address, end, listener())
  await vi.advanceTimersByTimeAsync(30_000)
  answer.mockClear()
  await vi.advanceTimersByTimeAsync(10 * QUIET_POLL_INTERVAL_MS)
  expect(answer).toHaveBeenCalledTimes(10)
  end = 4
  await vi.advanceTimersByTimeAsync(QUIET_POLL_INTERVAL_MS)
  expect(feed.end()).toBe(4)
  answer.mockClear()
  await vi.advanceTimersByTimeAsync(10 * POLL_INTERVAL_MS)
  expect(answer).toHaveBeenCalledTimes(10)
  feeds.close()
})

test('a reader that was nudged asks at once, and again if the nudge came during a question', async () => {
  let end = 3
  const answers: (() => void)[] = []
  const feeds = hub(() => {
    const asked = { end }
    return new Promise((resolve) => answers.push(() => resolve(asked)))
  })
  const feed = feeds.open(address, end, listener())
  feed.look()
  end = 4
  feed.look()
  feed.look()
  expect(answers).toHaveLength(1)
  answers[0]!()
  await vi.advanceTimersByTimeAsync(0)
  expect(feed.end()).toBe(3)
  answers[1]!()
  await vi.advanceTimersByTimeAsync(0)
  expect(feed.end()).toBe(4)
  expect(answers).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(POLL_INTERVAL_MS)
  expect(answers).toHaveLength(3)
  feeds.close()
})
