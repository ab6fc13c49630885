import { expect, test } from 'vitest'
import { negotiate } from './accept.js'

const offered = ['application/json', 'application/x-ndjson', 'text/csv'] as const

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/csv'],
  ['application/json;q=0.5, text/csv', 'text/csv'],
  ['application/json;q=0.5, text/csv;q=0.5', 'application/json'],
  ['application/json;q=0, */*', 'application/x-ndjson'],
  ['text/html, */*;q=0.1', 'application/json'],
  ['image/png', null],
  ['application/json;q=0', null],
  ['nonsense', null],
])('of Accept %j the answer is %s', (accept, expected) => {
  expect(negotiate(accept, offered)).toBe(expected)
})
