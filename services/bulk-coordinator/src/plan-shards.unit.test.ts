import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planShards } from './plan-shards.js'

/** Lets each instance act on what it sees, in turn, until none wants a change; returns the shards of each. */
function settled(count: number, live: readonly number[], holders: ReadonlyMap<number, number>): number[][] {
  const holderOf = new Map([...holders].filter(([, by]) => live.includes(by)))
  for (let round = 0; round < 4 * count + 4; round += 1) {
    let isQuiet = true
    for (const me of live) {
      const held = [...holderOf].map(([shard, by]) => ({ shard, by }))
      const { give, take } = planShards({ count, me, live, held })
      if (give.length + take.length > 0) isQuiet = false
      for (const shard of give) holderOf.delete(shard)
      for (const shard of take) holderOf.set(shard, me)
    }
    if (isQuiet) return live.map((me) => [...holderOf].flatMap(([shard, by]) => (by === me ? [shard] : [])))
  }
  throw new Error('they never agree')
}

test('whoever lives, every shard is held once and numbers differ by one at most, and then nobody moves', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 32 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 32 }),
      (count, live, before) => {
        const holders = new Map(before.slice(0, count).map((by, shard) => [shard, by]))
        const shards = settled(count, live, holders)
        expect(shards.flat().sort((one, other) => one - other)).toEqual([...Array(count).keys()])
        const numbers = shards.map(({ length }) => length)
        expect(Math.max(...numbers) - Math.min(...numbers)).toBeLessThanOrEqual(1)
      },
    ),
  )
})

test('one shard has one holder, and it stays where it is', () => {
  const held = [{ shard: 0, by: 7 }]
  expect(planShards({ count: 1, me: 7, live: [7, 8], held })).toEqual({ give: [], take: [], isShort: false })
  expect(planShards({ count: 1, me: 8, live: [7, 8], held })).toEqual({ give: [], take: [], isShort: true })
  expect(planShards({ count: 1, me: 8, live: [8], held: [] }).take).toEqual([0])
})

test('a newcomer gets what the others have too much of, and shard 0 stays', () => {
  const held = [0, 1, 2, 3].map((shard) => ({ shard, by: 7 }))
  expect(planShards({ count: 4, me: 7, live: [7, 8], held }).give).toEqual([2, 3])
  expect(planShards({ count: 4, me: 8, live: [7, 8], held })).toMatchObject({ take: [], isShort: true })
})
