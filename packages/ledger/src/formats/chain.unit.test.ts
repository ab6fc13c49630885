import { chains } from '@cupel/domain'
import { expect, test } from 'vitest'
import { secondsOf } from './chain.js'

test.each(chains)('a transfer of $code from before the first block of its chain is refused', (chain) => {
  const firstAtS = Date.parse(chain.firstDay) / 1_000
  expect(secondsOf(String(firstAtS), 1, chain)).toBe(firstAtS)
  expect(() => secondsOf(String(firstAtS - 1), 1, chain)).toThrow(
    `is before the first block of ${chain.code}`,
  )
})
