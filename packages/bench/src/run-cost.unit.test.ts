import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addCounts, perRequest, readBudgets, renderCost } from './run-cost.js'

const page = (table: string): string =>
  `text\n<!-- budgets of kafka: begin -->\n\n${table}\n\n<!-- budgets of kafka: end -->\n`

test('requests and round trips are counted by service and together', () => {
  const counts = new Map<string, number>()
  addCounts(
    counts,
    [
      '# HELP cupel_log_requests_total Requests',
      'cupel_log_requests_total{reader="scorer.interactive.v1",request="Fetch",service="scorer"} 12',
      'cupel_log_requests_total{reader="producer fast",request="Produce",service="api"} 10',
      'cupel_database_round_trips_total{statement="BEGIN",service="scorer"} 1',
      'process_cpu_seconds_total{service="scorer"} 7',
    ].join('\n'),
  )
  expect(Object.fromEntries(counts)).toEqual({
    ...{ 'log requests: scorer': 12, 'log requests: api': 10, 'log requests, all': 22 },
    ...{ 'database round trips: scorer': 1, 'database round trips, all': 1 },
  })
})

test('a cost is what passed in between, per request', () => {
  const after = new Map([['a', 30], ['new', 5]]) // prettier-ignore
  expect(Object.fromEntries(perRequest(new Map([['a', 10]]), after, 10))).toEqual({ a: 2, new: 0.5 })
})

test('the page has budgets of both profiles', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/performance.md'), 'utf8')
  for (const profile of ['embedded', 'kafka'])
    expect(readBudgets(text, profile).get('database round trips, all')?.get('50/s')).toBeGreaterThan(0)
})

test.each([
  ['without its markers', 'text', 'no table'],
  ['without a line', page('| line | 50/s |\n|---|---|'), 'empty'],
  ['with a budget that is a word', page('| line | 50/s |\n|---|---|\n| a | much |'), 'not a number'],
])('a page %s is refused', (_, text, sentence) => {
  expect(() => readBudgets(text, 'kafka')).toThrow(sentence)
})

test('a line beyond its budget is named, and a small line without a budget is left out', () => {
  const budgets = readBudgets(page('| line | 50/s | 200/s |\n|---|---|---|\n| a | 1 |  |'), 'kafka')
  const column = (values: Record<string, number>) => [
    { load: '50/s', values: new Map(Object.entries(values)) },
  ]
  const over = renderCost('kafka', column({ a: 1.25, b: 3, tiny: 0.001 }), budgets)
  expect(over).toContain('| a | **1.25, over 1** |')
  expect(over).toContain('Over budget: a at 50/s.')
  expect(over).not.toContain('tiny')
  expect(renderCost('kafka', column({ a: 0.5 }), budgets)).toContain('| a | 0.50 (≤ 1) |')
})
