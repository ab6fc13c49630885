import { chains } from '@cupel/domain'
import { expect, test } from 'vitest'
import { outcomeOf, secondsOf, wholeNumber } from './chain.js'
import { UnreadableRowError } from './ledger-file-error.js'

test.each(chains)('a transfer of $code from before the first block of its chain is refused', (chain) => {
  const firstAtS = Date.parse(chain.firstDay) / 1_000
  expect(secondsOf(String(firstAtS), 1, chain)).toBe(firstAtS)
  expect(() => secondsOf(String(firstAtS - 1), 1, chain)).toThrow(
    `is before the first block of ${chain.code}`,
  )
})

test('a height is digits and nothing else', () => {
  const read = (text: string): number | null => wholeNumber(text, 'block_number', 1)
  expect(
    ['', '0', '7', '007', '999999999', '1000000000', '9007199254740991', '7.0', '1234.000'].map(read),
  ).toEqual([...[null, 0, 7, 7, 999_999_999, 1_000_000_000, Number.MAX_SAFE_INTEGER, 7, 1_234]])
  const bad = [
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1,000',
    '12.000',
    '1e3',
    '0x1',
    '1.5',
    '٣',
    '³',
    '1/',
    '1:',
    '9007199254740992',
  ]
  for (const text of bad) expect(() => read(text), text).toThrow(UnreadableRowError)
})

test('a status is one of the known words', () => {
  const outcomes = ['1', '1.0', '0x1', 'TRUE', '0', '0.0', '0x0', 'failed', ''].map((text) =>
    outcomeOf(text, 1),
  )
  expect(outcomes).toEqual([...Array(4).fill('proven'), ...Array(4).fill('failed'), 'unknown'])
  for (const text of ['2', '11', '1 ', '10', 'ok'])
    expect(() => outcomeOf(text, 1), text).toThrow(UnreadableRowError)
})
