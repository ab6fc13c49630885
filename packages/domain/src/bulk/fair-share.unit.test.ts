import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstRound, QUANTUM_ITEMS, shareRoom, type Queue, type RoundState } from './fair-share.js'

const queue = (account: string, ...lefts: readonly number[]): Queue => ({
  account,
  jobs: lefts.map((left, index) => ({ jobId: `${account}/${index}`, left })),
})
const rooms = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 40 })

/** Releases one room after the other; returns the total of each account after each. */
function run(
  queues: readonly Queue[],
  sizes: readonly number[],
): { got: Map<string, number>[]; left: Queue[] } {
  let round: RoundState = firstRound
  let left = [...queues]
  const got: Map<string, number>[] = []
  for (const room of sizes) {
    const shared = shareRoom(round, left, room)
    round = shared.round
    const taken = new Map(shared.allotments.map(({ jobId, items }) => [jobId, items]))
    left = left.flatMap(({ account, jobs }) => {
      const rest = jobs
        .map((job) => ({ ...job, left: job.left - (taken.get(job.jobId) ?? 0) }))
        .filter((job) => job.left > 0)
      return rest.length > 0 ? [{ account, jobs: rest }] : []
    })
    const sums = new Map(got.at(-1) ?? [])
    for (const { jobId, items } of shared.allotments) {
      const account = jobId.split('/')[0]!
      sums.set(account, (sums.get(account) ?? 0) + items)
    }
    got.push(sums)
  }
  return { got, left }
}

test('accounts with work left never differ by more than a quantum, however the rooms fall', () => {
  fc.assert(
    fc.property(rooms, fc.integer({ min: 2, max: 9 }), (sizes, accounts) => {
      const queues = Array.from({ length: accounts }, (_, n) => queue(`a${n}`, 100_000))
      for (const sums of run(queues, sizes).got) {
        const shares = queues.map(({ account }) => sums.get(account) ?? 0)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(QUANTUM_ITEMS)
      }
    }),
  )
})

test('room is used up as long as there is work, and no job gets more than it has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 4 }), { maxLength: 6 }),
      rooms,
      (lefts, sizes) => {
        const queues = lefts.flatMap((left, n) => (left.length > 0 ? [queue(`a${n}`, ...left)] : []))
        const total = lefts.flat().reduce((sum, left) => sum + left, 0)
        const { got, left } = run(queues, sizes)
        const given = [...got.at(-1)!.values()].reduce((sum, items) => sum + items, 0)
        expect(given).toBe(
          Math.min(
            total,
            sizes.reduce((sum, room) => sum + room, 0),
          ),
        )
        expect(left.flatMap(({ jobs }) => jobs).reduce((sum, job) => sum + job.left, 0)).toBe(total - given)
      },
    ),
  )
})

test('an account with one address waits for one turn of each of the others', () => {
  const large = [queue('a', 50_000), queue('b', 50_000), queue('c', 50_000)]
  const { round } = shareRoom(firstRound, large, 1_000)
  const { allotments } = shareRoom(round, [...large, queue('small', 1)], 3 * QUANTUM_ITEMS + 1)
  expect(allotments).toContainEqual({ jobId: 'small/0', items: 1 })
})

test('an account with twenty jobs gets no more than one with a single job', () => {
  const { got } = run(
    [queue('many', ...Array.from({ length: 20 }, () => 1_000)), queue('one', 20_000)],
    [6_400],
  )
  expect(got[0]).toEqual(
    new Map([
      ['many', 3_200],
      ['one', 3_200],
    ]),
  )
})

test('within an account jobs are worked off in the order in which they came', () => {
  const { allotments } = shareRoom(firstRound, [queue('a', 10, 10, 10)], 15)
  expect(allotments).toEqual([
    { jobId: 'a/0', items: 10 },
    { jobId: 'a/1', items: 5 },
  ])
})
