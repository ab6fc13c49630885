import type { JobItem } from '../../read-model/queries.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf, resultSorts, selectResults } from './result-order.js'

const completed = (index: number, level: string, score: number): JobItem => ({
  ...{ status: 'completed', index, address: `a${index}`, reportId: `r${index}`, level, score },
})
const failed = (index: number): JobItem => ({
  ...{ status: 'failed', index, address: `a${index}`, code: 'invalid_address', detail: 'no' },
})
const rest = (index: number, status: 'pending' | 'cancelled'): JobItem => ({
  ...{ status, index, address: `a${index}` },
})

test('worst first: what has no verdict comes before what was found clean, and equals keep their order', () => {
  const items = [
    rest(0, 'pending'),
    completed(1, 'green', 0),
    rest(2, 'cancelled'),
    failed(3),
    completed(4, 'grey', 0),
    completed(5, 'orange', 40),
    completed(6, 'red', 80),
    completed(7, 'red', 100),
    completed(8, 'red', 80),
    completed(9, 'a level of tomorrow', 0),
    completed(10, 'green', 12),
  ]
  const order = selectResults(items, { sort: 'risk' }).map(({ index }) => index)
  expect(order).toEqual([7, 6, 8, 5, 4, 9, 3, 10, 1, 2, 0])
})

test('filters show what they name and nothing else', () => {
  const items = [completed(0, 'red', 90), failed(1), completed(2, 'green', 0), rest(3, 'pending')]
  const shown = (filter: { level?: string; status?: string }): number[] =>
    selectResults(items, { sort: 'submission', ...filter }).map(({ index }) => index)
  expect(shown({ level: 'red' })).toEqual([0])
  expect(shown({ status: 'completed' })).toEqual([0, 2])
  expect(shown({ status: 'failed', level: 'red' })).toEqual([])
})

const itemOf = (index: number) =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('red', 'orange', 'grey', 'green'), fc.constantFrom(0, 25, 25.5, 100))
      .map(([level, score]) => completed(index, level, score)),
    fc.constant(failed(index)),
    fc.constantFrom('pending', 'cancelled').map((status) => rest(index, status)),
  )
const jobs = fc
  .nat(40)
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => itemOf(index))))

test('a walk through the pages meets every item once, in the order of the whole', () => {
  fc.assert(
    fc.property(
      jobs,
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom(...resultSorts),
      (items, size, sort) => {
        const whole = selectResults(items, { sort })
        const met: JobItem[] = []
        let after: readonly number[] | null = null
        do {
          const page = pageOf(whole, { sort }, { after, size })
          met.push(...page.items)
          after = page.last?.map((number) => Number(String(number))) ?? null
        } while (after !== null)
        expect(met).toEqual(whole)
      },
    ),
  )
})

test('items that are done between two pages make none come twice', () => {
  fc.assert(
    fc.property(jobs, jobs, fc.integer({ min: 1, max: 7 }), (before, after, size) => {
      const first = pageOf(selectResults(before, { sort: 'risk' }), { sort: 'risk' }, { after: null, size })
      if (first.last === null) return
      const now = before.map((item) => (item.status === 'pending' ? (after[item.index] ?? item) : item))
      const second = pageOf(
        selectResults(now, { sort: 'risk' }),
        { sort: 'risk' },
        { after: first.last, size },
      )
      // An item that was pending on the first page may come again with its new status.
      const shown = first.items.filter(({ status }) => status !== 'pending').map(({ index }) => index)
      expect(second.items.filter(({ index }) => shown.includes(index))).toEqual([])
    }),
  )
})
