/** Values of transfers come back as they were stored. */
import { expect, test } from 'vitest'
import { hashDigits, hashOfDigits, kindOf } from './stored-values.js'

const hashes = [
  '',
  `0x${'ab'.repeat(32)}`,
  'ab'.repeat(32),
  // Other notations: digits of no whole byte, capitals, the form of Solana, the place of an extrinsic.
  'abc',
  `0x${'AB'.repeat(32)}`,
  '0x',
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnb',
  '12345-6',
  '12',
]

test.each(hashes)('the hash %j', (hash) => {
  expect(hashOfDigits(hashDigits(hash))).toBe(hash)
})

test('no two hashes have the same digits', () => {
  expect(new Set(hashes.map(hashDigits)).size).toBe(hashes.length)
})

test('a hash of 32 bytes takes 33', () => {
  expect(hashDigits(`0x${'ab'.repeat(32)}`)).toHaveLength(66)
})

test('a letter of no kind is an error', () => {
  expect(['native', 'internal', 'token', 'utxo'].map((kind) => kindOf(kind[0]!))).toEqual([
    'native',
    'internal',
    'token',
    'utxo',
  ])
  expect(() => kindOf('x')).toThrow('x is not a kind')
})
