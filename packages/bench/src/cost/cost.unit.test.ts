import { expect, test } from 'vitest'
import { readBudgets } from './budgets.js'
import { addCounts } from './counters.js'
import { renderCost } from './render.js'
import { perRequest, type CostColumn, type CostResults } from './run-cost.js'

const page = (table: string): string =>
  `text\n<!-- budgets of kafka: begin -->\n\n${table}\n\n<!-- budgets of kafka: end -->\n`

test('requests, empty fetches and round trips of a service are counted by their parts and together', () => {
  const counts = new Map<string, number>()
  addCounts(
    counts,
    [
      '# HELP cupel_log_requests_total Requests',
      'cupel_log_requests_total{reader="scorer.interactive.v1",request="Fetch",service="scorer"} 12',
      'cupel_log_requests_total{reader="producer fast",request="Produce",service="scorer"} 10',
      'cupel_log_requests_total{reader="dwell.v1.ded32971-afd0-4fd3-9536-56f664fb9b37",request="Heartbeat",service="scorer"} 1',
      'cupel_log_empty_fetches_total{reader="scorer.interactive.v1",service="scorer"} 2',
      'cupel_database_round_trips_total{statement="label-view.look-up",service="scorer"} 9',
      'cupel_database_round_trips_total{statement="BEGIN",service="scorer"} 1',
      'process_cpu_seconds_total{service="scorer"} 7',
    ].join('\n'),
  )
  expect(Object.fromEntries(counts)).toEqual({
    'log requests: scorer': 23,
    'Fetch: scorer scorer.interactive.v1': 12,
    'Produce: scorer producer fast': 10,
    'Heartbeat: scorer dwell.v1': 1,
    'empty fetches: scorer': 2,
    'database round trips: scorer': 10,
    'statement: scorer label-view.look-up': 9,
    'statement: scorer BEGIN': 1,
  })
})

test('a cost is what passed in between, per request', () => {
  const [before, after] = [new Map([['a', 10]]), new Map([['a', 30], ['new', 5]])] // prettier-ignore
  expect(Object.fromEntries(perRequest(before, after, 10))).toEqual({ a: 2, new: 0.5 })
})

test('budgets are read from the table of the page, and an empty cell is none', () => {
  const budgets = readBudgets(
    page('| line | 50/s | 200/s |\n|---|---|---|\n| a: b | 1.5 |  |\n| c | — | 2 |'),
    'kafka',
  )
  expect(budgets.get('a: b')).toEqual(new Map([['50/s', 1.5]]))
  expect(budgets.get('c')).toEqual(new Map([['200/s', 2]]))
})

test.each([
  ['without its markers', 'text', 'no table'],
  ['without a line', page('| line | 50/s |\n|---|---|'), 'empty'],
  ['with a budget that is no number', page('| line | 50/s |\n|---|---|\n| a | much |'), 'no number'],
])('a page %s is refused', (_, text, sentence) => {
  expect(() => readBudgets(text, 'kafka')).toThrow(sentence)
})

const column = (values: Record<string, number>): CostColumn => ({
  ...{ load: '50/s', perSecond: 50, errors: 0, values: new Map(Object.entries(values)) },
})
const results = (values: Record<string, number>): CostResults => ({
  ...{ date: '2026-11-25', commit: 'abc1234', cores: 2, loadAverage: 0.5, seconds: 8 },
  profiles: [{ profile: 'kafka', columns: [column(values)], bareEcho: [{ line: 'echo', values: [null] }] }],
})
const budgets = readBudgets(page('| line | 50/s |\n|---|---|\n| a | 1 |'), 'kafka')

test('a line beyond its budget is shown as over, and named below the table', () => {
  const table = renderCost(results({ a: 1.25, b: 3, tiny: 0.001 }), () => budgets)
  expect(table).toContain('| a | **1.25, over 1** |')
  expect(table).toContain('| b | 3.00 |')
  expect(table).not.toContain('tiny')
  expect(table).toContain('Over budget: a at 50/s.')
})

test('a line within its budget is shown with it', () => {
  const table = renderCost(results({ a: 0.5 }), () => budgets)
  expect(table).toContain('| a | 0.50 (≤ 1) |')
  expect(table).toContain('Every line is within its budget')
})
