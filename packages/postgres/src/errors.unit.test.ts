/** Errors of statements that a retry may fix. */
import { expect, test } from 'vitest'
import { isUnavailable, sqlState } from './errors.js'

const failed = (code: string): Error => Object.assign(new Error('A statement failed'), { code })

test.each([
  ['08006', 'a connection that ended'],
  ['28P01', 'a password that is being rotated'],
  ['25006', 'a replica in place of the primary'],
  ['57014', 'a statement beyond its time limit'],
  ['57P01', 'a server that is stopped'],
  ['57P03', 'a server that starts'],
  ['53100', 'a full disk'],
  ['53200', 'a lack of memory'],
  ['53300', 'too many connections'],
  ['ECONNRESET', 'a connection that was reset'],
  ['EPIPE', 'a connection that ended while something was sent'],
  ['EHOSTUNREACH', 'a machine that is gone'],
  ['CERT_HAS_EXPIRED', 'a certificate that has expired'],
])('%s, %s, is an outage', (code) => {
  expect(isUnavailable(failed(code))).toBe(true)
})

test.each(['22P02', '23505', '42501', '55P03'])('%s is not one', (code) => {
  expect(isUnavailable(failed(code))).toBe(false)
})

test('a code of the system is not a state of the server', () => {
  expect(['EPIPE', '23505', 'ECONNRESET'].map((code) => sqlState(failed(code)))).toEqual([
    null,
    '23505',
    null,
  ])
})
