import { topicOf } from '@cupel/contracts'
import { LogUnavailableError, type EventCodec, type EventLog, type LogRange } from '@cupel/event-log'
import { expect, test } from 'vitest'
import { newLeaves } from './new-leaves.js'

const PLACE = { topic: 'reports', partition: 0 }
const codec = { partOf: () => () => null, decodeAs: () => null } as unknown as EventCodec

test('records get their leaves while the archive that has the front of the log is away', async () => {
  const away = (): Promise<never> => Promise.reject(new LogUnavailableError('The archive is away.'))
  const log = {
    startOffset: away,
    endOffset: () => Promise.resolve(5),
    async *read({ from, to }: LogRange) {
      if (from < 3) await away()
      for (let offset = from; offset < to; offset += 1)
        yield [{ ...PLACE, offset, key: '', value: Buffer.alloc(0), headers: {}, timestampMs: 0 }]
    },
  } as unknown as EventLog
  const leavesFrom = (next: number) =>
    newLeaves({ log, codec, places: [PLACE] }, new Map([['reports/0', next]]))
  expect((await leavesFrom(3)).leaves.map(({ record }) => record?.offset)).toEqual([3, 4])
  await expect(leavesFrom(2)).rejects.toThrow('The archive is away.')
})

test('records that the log deleted before they had a leaf get none, and do not stop those that are left', async () => {
  const log = {
    startOffset: () => Promise.resolve(3),
    endOffset: () => Promise.resolve(5),
    async *read({ from, to }: LogRange) {
      if (from < 3) throw new Error(`The log begins at 3, not at ${from}.`)
      for (let offset = from; offset < to; offset += 1)
        yield [{ ...PLACE, offset, key: '', value: Buffer.alloc(0), headers: {}, timestampMs: 0 }]
    },
  } as unknown as EventLog
  const { leaves, moves } = await newLeaves({ log, codec, places: [PLACE] }, new Map([['reports/0', 1]]))
  expect(leaves.map(({ record }) => record?.offset)).toEqual([3, 4])
  expect(moves).toEqual([{ ...PLACE, expected: 1, next: 5, atEnd: true }])
})

test('a start of the log that cannot be read for another reason stops the leaves', async () => {
  const log = {
    startOffset: () => Promise.reject(new RangeError('The offset is not a number.')),
    endOffset: () => Promise.resolve(5),
    async *read() {},
  } as unknown as EventLog
  await expect(newLeaves({ log, codec, places: [PLACE] }, new Map())).rejects.toThrow(
    'The offset is not a number.',
  )
})

test('the leaf of a key comes behind those of the records from before it', async () => {
  const log = {
    startOffset: () => Promise.resolve(0),
    endOffset: () => Promise.resolve(1),
    async *read({ topic, partition }: LogRange) {
      yield [{ topic, partition, offset: 0, key: '', value: Buffer.alloc(0), headers: {}, timestampMs: 0 }]
    },
  } as unknown as EventLog
  const keys = topicOf('SigningKeyPublished')
  const places = [{ topic: keys, partition: 0 }, PLACE]
  const inOrder = async (maxLeaves: number) =>
    (await newLeaves({ log, codec, places, maxLeaves }, new Map())).leaves.map(({ record }) => record?.topic)
  expect(await inOrder(2)).toEqual([PLACE.topic, keys])
  expect(await inOrder(1)).toEqual([PLACE.topic])
})
