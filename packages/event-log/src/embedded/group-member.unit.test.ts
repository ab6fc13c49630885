import { silentLogger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { afterEach, expect, test, vi } from 'vitest'
import { createHeartbeats, joinGroup } from './group-member.js'

afterEach(() => void vi.useRealTimers())

const beat = (group: string) => ({
  of_group: group,
  of_member: group,
  subscribed: [1, 2],
  released: [],
  lease_ms: 6_000,
})

test('members that send at the same moment share a statement, and each gets the states of its own partitions', async () => {
  const asked: string[][] = []
  const query = async (_statement: unknown, [told]: [string]) => {
    const beats = JSON.parse(told) as { place: number; of_group: string }[]
    asked.push(beats.map(({ of_group: group }) => group))
    return beats
      .toReversed()
      .filter(({ of_group: group }) => group !== 'b')
      .map(({ place, of_group: group }) => ({ place, id: group.charCodeAt(0), state: 'held' }))
  }
  const send = createHeartbeats({ query } as unknown as Queryable)
  const states = await Promise.all(['a', 'b', 'c'].map((group) => send(beat(group))))
  expect(asked).toEqual([['a', 'b', 'c']])
  expect(states.map((one) => one.map(({ id }) => id))).toEqual([[97], [], [99]])
})

test('a heartbeat that failed is repeated several times before the lease ends', async () => {
  vi.useFakeTimers()
  const begunMs: number[] = []
  const member = await joinGroup({
    heartbeat: async () => {
      begunMs.push(performance.now())
      if (begunMs.length > 1) throw new Error('away')
      return []
    },
    ...{ group: 'g', partitionIds: [1], leaseMs: 6_000, logger: silentLogger, onPartitions: () => undefined },
    database: { execute: () => Promise.resolve(0) } as unknown as Database,
  })
  await vi.advanceTimersByTimeAsync(6_000)
  expect(begunMs.length).toBeGreaterThanOrEqual(6)
  await member.leave()
})
