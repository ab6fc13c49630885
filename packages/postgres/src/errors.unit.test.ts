/** Errors of statements that a retry may fix. */
import { expect, test } from 'vitest'
import { isUnavailable } from './errors.js'

const failed = (code: string): Error => Object.assign(new Error('A statement failed'), { code })

test.each([
  ['08006', 'a connection that ended'],
  ['57P01', 'a server that is stopped'],
  ['57P03', 'a server that starts'],
  ['53100', 'a full disk'],
  ['53200', 'a lack of memory'],
  ['53300', 'too many connections'],
  ['ECONNRESET', 'a connection that was reset'],
])('%s, %s, is an outage', (code) => {
  expect(isUnavailable(failed(code))).toBe(true)
})

test.each(['22P02', '23505', '42501', '55P03'])('%s is none', (code) => {
  expect(isUnavailable(failed(code))).toBe(false)
})
