/** The order of transfers with missing blocks, times and places, and the timelines that follow from it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressOf, transfer } from '../../../../test/exposure-builders.js'
import { finished } from './steps.js'
import { orderOf, timelineOf } from './timeline.js'
import type { Transfer } from './transfer.js'

const AT = addressOf(5)
const unplaced = { blockNumber: null, occurredAtS: null, index: null, position: null, txHash: '' }
const into = (changes: Partial<Transfer>): Transfer => transfer({ ...unplaced, to: AT, ...changes })
const outOf = (changes: Partial<Transfer>): Transfer => transfer({ ...unplaced, from: AT, ...changes })
const block = (blockNumber: number, changes: Partial<Transfer> = {}): Partial<Transfer> => ({
  blockNumber,
  ...changes,
})
const timeline = (...given: readonly Transfer[]) => finished(timelineOf(AT, given))
const order = (...given: readonly Transfer[]): readonly number[] =>
  timeline(...given).transfers.map((one) => given.indexOf(one))

describe('two transfers', () => {
  test('are in the order of their blocks, whatever their times', () => {
    expect(orderOf(into(block(7, { occurredAtS: 9 })), into(block(8, { occurredAtS: 3 })))).toBeLessThan(0)
    expect(orderOf(into(block(7)), into(block(8, { occurredAtS: 3 })))).toBeLessThan(0)
  })

  test('of one block are in the order of transactions, then of logs', () => {
    expect(orderOf(into(block(7, { index: 2 })), into(block(7, { index: 1 })))).toBeGreaterThan(0)
    const log = (position: number) => into(block(7, { index: 1, position }))
    expect(orderOf(log(4), log(9))).toBeLessThan(0)
    expect(orderOf(into(block(7, { position: 4 })), into(block(7, { position: 9 })))).toBeLessThan(0)
  })

  test('of one transaction are at one place where no log tells', () => {
    expect(orderOf(into(block(7, { index: 1 })), outOf(block(7, { index: 1 })))).toBe(0)
    expect(orderOf(into(block(7, { txHash: '0xab' })), outOf(block(7, { txHash: '0xab' })))).toBe(0)
    const sameTime = { occurredAtS: 5, txHash: '0xab' }
    expect(orderOf(into(sameTime), outOf(sameTime))).toBe(0)
  })

  test('are in the order of their times where one has no block', () => {
    expect(orderOf(into({ occurredAtS: 5 }), into(block(1, { occurredAtS: 6 })))).toBeLessThan(0)
  })

  test('are in unknown order where what is known of one is not known of the other', () => {
    expect(orderOf(into({}), into(block(1, { occurredAtS: 6 })))).toBeNull()
    expect(orderOf(into(block(1)), into({ occurredAtS: 6 }))).toBeNull()
    expect(orderOf(into(block(1)), into(block(1)))).toBeNull()
    expect(orderOf(into(block(1, { index: 0 })), into(block(1, { position: 0 })))).toBeNull()
    expect(orderOf(into({ occurredAtS: 6 }), into({ occurredAtS: 6 }))).toBeNull()
  })
})

describe('a timeline', () => {
  test('follows blocks where some have no time', () => {
    expect(order(outOf(block(9)), into(block(8, { occurredAtS: 100 })), into(block(7)))).toEqual([2, 1, 0])
    expect(timeline(outOf(block(9)), into(block(8, { occurredAtS: 100 }))).isCertain).toBe(true)
  })

  test('lets value arrive before it leaves where the order is unknown, and says so', () => {
    const unknown = [
      [outOf({}), into({})],
      [outOf(block(5)), into(block(5))],
      [outOf({ occurredAtS: 5 }), into({ occurredAtS: 5 })],
      [outOf(block(5)), into({ occurredAtS: 5 })],
      [outOf(block(5)), into({})],
      [outOf({}), into(block(5))],
      [outOf({}), outOf({ occurredAtS: 3 }), into({ occurredAtS: 5 })].slice(0, 3),
    ]
    for (const [index, given] of unknown.entries()) {
      expect(timeline(...given).isCertain, String(index)).toBe(false)
      expect(order(...given).at(-1), String(index)).toBe(0)
    }
  })

  test('keeps a known order among unknown ones', () => {
    const given = [outOf({ occurredAtS: 4 }), into({ occurredAtS: 9 }), into(block(3)), outOf({})]
    expect(order(...given)).toEqual([2, 0, 1, 3])
  })

  test('has an end where times contradict blocks', () => {
    const given = [
      into(block(5, { occurredAtS: 9 })),
      into(block(7, { occurredAtS: 5 })),
      into({ occurredAtS: 7 }),
    ]
    expect(order(...given)).toEqual([0, 1, 2])
  })

  test('is certain of one block where all have a place, and uncertain where one has none', () => {
    const placed = (index: number | null) => into(block(5, { index }))
    expect(timeline(placed(3), placed(1)).isCertain).toBe(true)
    expect(timeline(placed(3), placed(1), placed(null)).isCertain).toBe(false)
  })
})

/** The definition in docs/exposure.md, step by step. */
function definedTimeline(given: readonly Transfer[]): { ids: string[]; isCertain: boolean } {
  const rank = (one: Transfer) =>
    one.to === AT ? 0 : one.blockNumber === null && one.occurredAtS === null ? 2 : 1
  const remaining = [...given]
  const ids: string[] = []
  while (remaining.length > 0) {
    const free = remaining.filter((one) => !remaining.some((other) => (orderOf(other, one) ?? 0) < 0))
    const blocks = remaining.flatMap(({ blockNumber }) => (blockNumber === null ? [] : [blockNumber]))
    const lowest = blocks.length === 0 ? null : Math.min(...blocks)
    const choices = free.length > 0 ? free : remaining.filter(({ blockNumber }) => blockNumber === lowest)
    const [next] = choices.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))
    ids.push(next!.id)
    remaining.splice(remaining.indexOf(next!), 1)
  }
  const isCertain = given.every((a) => given.every((b) => orderOf(a, b) !== null || a === b))
  return { ids, isCertain }
}

test('every timeline is the one that the definition makes, from whatever order', () => {
  const maybe = (max: number) => fc.oneof(fc.nat(max), fc.constant(null))
  const sometimes = (max: number) =>
    fc.oneof({ arbitrary: fc.nat(max), weight: 9 }, { arbitrary: fc.constant(null), weight: 1 })
  const drawn = (number: (max: number) => fc.Arbitrary<number | null>) =>
    fc.array(
      fc.record({
        blockNumber: number(4),
        occurredAtS: number(4),
        index: number(2),
        position: number(2),
        txHash: fc.constantFrom('', 'ab', 'cd'),
        incoming: fc.boolean(),
      }),
      { maxLength: 8 },
    )
  let certain = 0
  fc.assert(
    fc.property(fc.oneof(drawn(maybe), drawn(sometimes)), fc.nat(), (records, turn) => {
      const given = records.map(({ incoming, ...one }, index) =>
        (incoming ? into : outOf)({ ...one, id: String(index) }),
      )
      const turned = [...given.slice(turn % 8), ...given.slice(0, turn % 8)]
      const { transfers, isCertain } = timeline(...turned)
      expect({ ids: transfers.map(({ id }) => id), isCertain }).toEqual(definedTimeline(given))
      if (isCertain && given.length > 3) certain += 1
    }),
    { numRuns: 3_000 },
  )
  expect(certain).toBeGreaterThan(20)
})
