import { LogUnavailableError } from '@cupel/event-log'
import { expect, test } from 'vitest'
import { awaitTopics } from './await-topics.js'

const topics = [
  { name: 'a', partitions: 2 },
  { name: 'b', partitions: 1 },
]

test('a broker that does not lead its partitions yet is waited for, partition by partition', async () => {
  const refusals = new Map([['a/1', 2]])
  const answered: string[] = []
  const endOffset = async (topic: string, partition: number): Promise<number> => {
    const place = `${topic}/${partition}`
    const left = refusals.get(place) ?? 0
    refusals.set(place, left - 1)
    if (left > 0) throw new LogUnavailableError('This server is not the leader')
    answered.push(place)
    return 0
  }
  await awaitTopics({ endOffset }, topics)
  expect(new Set(answered)).toEqual(new Set(['a/0', 'a/1', 'b/0']))
})

test('one that never does is told of, and any other error at once', async () => {
  const never = async (): Promise<number> => {
    throw new LogUnavailableError('never')
  }
  await expect(awaitTopics({ endOffset: never }, topics, 0)).rejects.toThrow('never')
  const broken = async (): Promise<number> => {
    throw new TypeError('broken')
  }
  await expect(awaitTopics({ endOffset: broken }, topics)).rejects.toThrow('broken')
})
