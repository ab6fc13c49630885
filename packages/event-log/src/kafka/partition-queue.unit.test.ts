import { expect, test } from 'vitest'
import {
  maySend,
  partitionQueue,
  putBack,
  putBackHalves,
  renewProducer,
  takeBatch,
  takeLate,
  type Call,
  type Entry,
  type PartitionQueue,
} from './partition-queue.js'

const NOW = 1_000_000
const producer = { id: 7n, epoch: 0 }

const entries = (count: number, bytes = 100, deadlineAt = NOW + 10_000): Entry[] => {
  const call: Call = {
    offsets: [],
    deadlineAt,
    remaining: count,
    resolve: () => undefined,
    reject: () => undefined,
    failed: false,
  }
  return Array.from({ length: count }, (_, index) => ({
    call,
    index,
    bytes,
    record: { topic: 't', partition: 0, key: String(index), value: Buffer.alloc(0), headers: {} },
  }))
}
const queueWith = (...waiting: readonly Entry[][]): PartitionQueue => {
  const queue = partitionQueue('t', 0)
  queue.waiting = waiting.flat()
  return queue
}
const sizes = (queue: PartitionQueue): number[] => {
  const found: number[] = []
  for (let batch = takeBatch(queue, producer); batch !== null; batch = takeBatch(queue, producer))
    found.push(batch.entries.length)
  return found
}

test('a batch closes at 512 kB, and a larger record travels by itself', () => {
  expect(sizes(queueWith(entries(400, 3_000)))).toEqual([174, 174, 52])
  expect(
    sizes(queueWith(entries(3, 100), entries(1, 900_000), entries(1, 900_000), entries(2, 100))),
  ).toEqual([3, 1, 1, 2])
  expect(sizes(queueWith(entries(4_100, 10)))).toEqual([2_000, 2_000, 100])
  expect(sizes(queueWith())).toEqual([])
})

test('sequences count the records of a producer without a gap', () => {
  const queue = queueWith(entries(400, 3_000))
  const batches = [0, 1, 2].map(() => takeBatch(queue, producer)!)
  expect(batches.map((batch) => batch.sequence)).toEqual([0, 174, 348])
  expect(batches.every((batch) => batch.producer === producer)).toBe(true)
})

test('the parts of a call follow one another; other calls may travel at once', () => {
  const queue = queueWith(entries(400, 3_000))
  expect(maySend(queue, 2, NOW)).toBe(true)
  takeBatch(queue, null)
  queue.inFlight = 1
  expect(maySend(queue, 2, NOW)).toBe(false)
  const small = queueWith(entries(10))
  takeBatch(small, null)
  small.inFlight = 1
  expect(maySend(small, 2, NOW)).toBe(true)
  expect(maySend(small, 1, NOW)).toBe(false)
})

test('nothing overtakes a batch that must be repeated, nor goes before its pause is over', () => {
  const queue = queueWith(entries(2))
  const failed = takeBatch(queue, producer)!
  queue.waiting = entries(5)
  const failedAt = Date.now()
  putBack(failed, 500)
  const { notBefore } = queue
  expect(notBefore).toBeGreaterThanOrEqual(failedAt + 500)
  expect(maySend(queue, 2, notBefore - 1)).toBe(false)
  expect(maySend(queue, 2, notBefore)).toBe(true)
  queue.inFlight = 1
  expect(maySend(queue, 2, notBefore)).toBe(false)
  expect(takeBatch(queue, producer)).toBe(failed)
  expect(takeBatch(queue, producer)!.sequence).toBe(2)
})

test('halves keep order and sequence', () => {
  const queue = queueWith(entries(5))
  putBackHalves(takeBatch(queue, producer)!)
  const [head, tail] = [takeBatch(queue, producer)!, takeBatch(queue, producer)!]
  expect(head.entries.map((entry) => entry.index)).toEqual([0, 1, 2])
  expect(tail.entries.map((entry) => entry.index)).toEqual([3, 4])
  expect([head.sequence, tail.sequence]).toEqual([0, 3])
  expect([head.bytes, tail.bytes]).toEqual([300, 200])
})

test('a new producer begins its sequences anew, with what was to be repeated first', () => {
  const queue = queueWith(entries(2))
  putBack(takeBatch(queue, producer)!, 0)
  queue.waiting = entries(3)
  renewProducer(queue, null)
  const next = { id: 8n, epoch: 0 }
  const batch = takeBatch(queue, next)!
  expect(batch).toMatchObject({ sequence: 0, producer: next })
  expect(batch.entries.map((entry) => entry.index)).toEqual([0, 1, 0, 1, 2])
})

test('what waited past its deadline is taken out, and the rest stays', () => {
  const queue = queueWith(entries(2, 100, NOW - 1), entries(3))
  expect(takeLate(queue, NOW)).toHaveLength(2)
  expect(queue.waiting).toHaveLength(3)
  expect(takeLate(queue, NOW)).toEqual([])
})
