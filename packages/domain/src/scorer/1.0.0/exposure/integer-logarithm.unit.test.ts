import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sizePpm } from './integer-logarithm.js'

test('powers of ten of dust are thirds of the full size', () => {
  const dust = 10n ** 16n
  expect([1n, 10n, 100n, 1_000n, 10_000n].map((factor) => sizePpm(dust * factor, dust, 3))).toEqual([
    0, 333_333, 666_667, 1_000_000, 1_000_000,
  ])
  expect(sizePpm(0n, dust, 3)).toBe(0)
  expect(sizePpm(dust - 1n, dust, 3)).toBe(0)
})

test('it agrees with the logarithm of floating point to a part per million', () => {
  const amount = fc.bigInt(1n, 10n ** 30n)
  fc.assert(
    fc.property(
      amount,
      fc.bigInt(1n, 10n ** 20n),
      fc.integer({ min: 1, max: 12 }),
      (value, dust, decades) => {
        const exact = (Math.log10(Number(value) / Number(dust)) / decades) * 1e6
        const expected = Math.min(1e6, Math.max(0, exact))
        expect(Math.abs(sizePpm(value, dust, decades) - expected)).toBeLessThanOrEqual(0.51)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('more is never less', () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, 10n ** 9n),
      fc.bigInt(0n, 10n ** 12n),
      fc.bigInt(0n, 10n ** 6n),
      (dust, value, more) => {
        expect(sizePpm(value + more, dust, 3)).toBeGreaterThanOrEqual(sizePpm(value, dust, 3))
      },
    ),
  )
})

test('an asset without dust is a fault of its table, not an infinite size', () => {
  expect(() => sizePpm(1n, 0n, 3)).toThrow(RangeError)
})
