import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSlots } from './slots.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('urgent work goes before other work that waits', async () => {
  const slots = createSlots(1)
  const begun: string[] = []
  const work = (name: string, isUrgent: boolean) =>
    slots(() => turn().then(() => void begun.push(name)), { isUrgent })
  await Promise.all([work('first', false), work('second', false), work('urgent', true)])
  expect(begun).toEqual(['first', 'urgent', 'second'])
})

test('the much work of one owner delays another owner by one piece, urgent or not', async () => {
  const slots = createSlots(1)
  const begun: string[] = []
  const work = (owner: string, name: string, isUrgent: boolean) =>
    slots(() => turn().then(() => void begun.push(name)), { owner, isUrgent })
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => work('a', name, true)),
    ...[work('b', 'b1', false), work('b', 'b2', true)],
  ])
  expect(begun).toEqual(['a1', 'a2', 'b2', 'a3', 'b1', 'a4'])
})

test('what is last begins while nothing else waits, and its owners take turns', async () => {
  const slots = createSlots(1)
  const begun: string[] = []
  const work = (owner: string, name: string, isLast: boolean) =>
    slots(() => turn().then(() => void begun.push(name)), { owner, isLast })
  await Promise.all([
    ...[work('a', 'first', true), work('a', 'last1', true), work('a', 'last2', true)],
    ...[work('b', 'last3', true), work('b', 'b1', false), work('b', 'b2', false), work('a', 'a1', false)],
  ])
  expect(begun).toEqual(['first', 'b1', 'a1', 'b2', 'last1', 'last3', 'last2'])
})

test('for any work: at most the given number at once, each with its own outcome, in the order of the calls', async () => {
  const piece = fc.record({ turns: fc.nat(3), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      async (pieces, count) => {
        const slots = createSlots(count)
        const begun: number[] = []
        let running = 0
        const outcomes = pieces.map(({ turns, fails }, index) =>
          slots(async () => {
            begun.push(index)
            expect(++running).toBeLessThanOrEqual(count)
            for (let left = turns; left > 0; left -= 1) await turn()
            running -= 1
            if (fails) throw new Error(String(index))
            return index
          }),
        )
        const settled = await Promise.allSettled(outcomes)
        expect(begun).toEqual(pieces.map((_, index) => index))
        expect(
          settled.map((each) => (each.status === 'fulfilled' ? each.value : Number(each.reason.message))),
        ).toEqual(begun)
      },
    ),
    { numRuns: 100 },
  )
})
