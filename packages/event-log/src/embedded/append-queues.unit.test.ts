import { expect, test } from 'vitest'
import { createAppendQueues, type AppendCall } from './append-queues.js'

/** Queues of one partition whose writes wait until the test completes them; records get consecutive numbers. */
function gatedQueues() {
  const writes: { keys: string[]; succeed: () => void; fail: (error: Error) => void }[] = []
  const handedOver: string[] = []
  let next = 0
  const queues = createAppendQueues(
    (records) =>
      new Promise((resolve, reject) => {
        const succeed = () => {
          resolve({ firstOffsets: new Map([[1, next]]), timestampMs: 0 })
          next += records.length
        }
        writes.push({ keys: records.map((record) => record.key), succeed, fail: reject })
      }),
    (records) => handedOver.push(...records.map((record) => record.key)),
  )
  const append = (keys: readonly string[], { topic = 't', bytes = 10 } = {}) => {
    const call: AppendCall = { queuedAt: performance.now(), hasFailed: false }
    return Promise.all(
      keys.map((key) =>
        queues.add(topic, { partitionId: 1, key, value: Buffer.alloc(0), headers: {}, call, bytes }),
      ),
    )
  }
  return { queues, writes, handedOver, append }
}
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('calls of one moment share a write, and later ones join the next', async () => {
  const { writes, append } = gatedQueues()
  const first = [append(['a']), append(['b', 'c'])]
  await turn()
  const later = [append(['d']), append(['e'])]
  await turn()
  expect(writes.map((write) => write.keys)).toEqual([['a', 'b', 'c']])
  writes[0]!.succeed()
  expect(await Promise.all(first)).toEqual([[0], [1, 2]])
  await turn()
  expect(writes[1]!.keys).toEqual(['d', 'e'])
  writes[1]!.succeed()
  expect(await Promise.all(later)).toEqual([[3], [4]])
})

test('topics do not wait for each other', async () => {
  const { writes, append } = gatedQueues()
  const appends = [append(['a'], { topic: 'one' }), append(['b'], { topic: 'two' })]
  await turn()
  expect(writes.map((write) => write.keys)).toEqual([['a'], ['b']])
  for (const { succeed } of writes) succeed()
  await Promise.all(appends)
})

test('a write is closed at its size, and a larger record goes by itself', async () => {
  const { writes, append } = gatedQueues()
  void append(['a', 'b', 'c'], { bytes: 400_000 })
  void append(['large'], { bytes: 1_900_000 })
  void append(['d'])
  for (const expected of [['a', 'b'], ['c'], ['large'], ['d']]) {
    await turn()
    expect(writes.at(-1)!.keys).toEqual(expected)
    writes.at(-1)!.succeed()
  }
})

test('when a write fails its calls fail whole: nothing of them is written later', async () => {
  const { queues, writes, handedOver, append } = gatedQueues()
  const failing = append(['a', 'b', 'c'], { bytes: 400_000 })
  const following = append(['d'], { bytes: 400_000 })
  await turn()
  expect(writes[0]!.keys).toEqual(['a', 'b'])
  writes[0]!.fail(new Error('gone'))
  await expect(failing).rejects.toThrow('gone')
  await turn()
  expect(writes[1]!.keys).toEqual(['d'])
  writes[1]!.succeed()
  expect(await following).toEqual([0])
  expect(handedOver).toEqual(['d'])
  await queues.close()
})

test('readers are given the records before their appender goes on', async () => {
  const { writes, handedOver, append } = gatedQueues()
  const seenAtAcknowledgement = append(['a']).then(() => [...handedOver])
  await turn()
  writes[0]!.succeed()
  expect(await seenAtAcknowledgement).toEqual(['a'])
})
