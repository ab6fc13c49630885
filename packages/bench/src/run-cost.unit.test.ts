import { expect, test } from 'vitest'
import { addCounts, perRequest, renderCost } from './run-cost.js'

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

test('a line that is small at every load is left out', () => {
  const values = new Map(Object.entries({ a: 1.25, tiny: 0.001 }))
  const text = renderCost('kafka', [{ load: '50/s', values }])
  expect(text).toContain('| a | 1.25 |')
  expect(text).not.toContain('tiny')
})
