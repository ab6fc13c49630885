import type { Queryable } from '@cupel/postgres'
import { expect, test } from 'vitest'
import { createHeartbeats } from './group-member.js'

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
