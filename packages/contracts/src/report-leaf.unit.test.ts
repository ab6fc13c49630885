import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leafHeader, parseLeafHeader } from './report-leaf.js'

const hash = 'ab'.repeat(32)
const leaf = { log: 'cupel/0b7a2c41d9e3/transparency/6f1d', index: 12, hash }

describe('the header that names a leaf', () => {
  it('is a dictionary of RFC 9651', () => {
    expect(leafHeader(leaf)).toBe(`log="cupel/0b7a2c41d9e3/transparency/6f1d", index=12, hash="${hash}"`)
  })

  it('comes back from every name that a log may have', () => {
    const letter = fc.integer({ min: 33, max: 126 }).filter((code) => code !== 43)
    const log = fc
      .array(letter, { minLength: 1, maxLength: 40 })
      .map((codes) => String.fromCharCode(...codes))
    fc.assert(
      fc.property(log, fc.nat(), (name, index) => {
        const other = { log: name, index, hash }
        expect(parseLeafHeader(leafHeader(other))).toEqual(other)
      }),
    )
  })

  it.each([
    undefined,
    '',
    leafHeader({ ...leaf, log: '' }),
    leafHeader({ ...leaf, log: 'two words' }),
    leafHeader(leaf).replace('12', '012'),
    leafHeader(leaf).replace('12', '-1'),
    leafHeader(leaf).replace('ab"', 'AB"'),
    leafHeader(leaf).replace('ab"', '"'),
    `${leafHeader(leaf)}, more=1`,
    leafHeader(leaf).replaceAll(', ', ','),
  ])('says nothing if it is not whole: %s', (value) => {
    expect(parseLeafHeader(value)).toBeNull()
  })
})
