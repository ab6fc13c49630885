import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, isWellFormedText, sha256Hex } from './canonical-json.js'

describe('RFC 8785', () => {
  test('its example of section 3.2.2 and 3.2.3', () => {
    const value = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\/',
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  test('members are sorted by UTF-16 code units', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7)
    expect([...canonicalJson(value).matchAll(/:(\d)/g)].map(([, digit]) => digit).join('')).toBe('2467153')
  })

  test.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [9007199254740994, '9007199254740994'],
    [5e-324, '5e-324'],
    [71.25, '71.25'],
  ])('%d is written %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })
})

test.each([Number.NaN, Infinity, '\ud800', { '\udfff': 1 }, () => 1, 1n, undefined])(
  'JSON cannot hold %s',
  (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  },
)

test('the same value has one form however its members are ordered, and it reads back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(reversed(value))).toBe(text)
    }),
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

test('objects with the same names in another order, or with one name more, keep their own members', () => {
  const forms = [{ b: 1, a: 2 }, { b: 3, a: 4 }, { b: 5, a: 6, c: 7 }, { b: 8, c: 9 }, { a: 1, b: 2 }, { b: 1, aa: 2 }]
  const texts = ['{"a":2,"b":1}', '{"a":4,"b":3}', '{"a":6,"b":5,"c":7}', '{"b":8,"c":9}', '{"a":1,"b":2}', '{"aa":2,"b":1}']
  expect(forms.map(canonicalJson)).toEqual(texts)
  // More shapes than are remembered.
  for (let shape = 0; shape < 2_000; shape += 1)
    expect(canonicalJson({ b: 1, [`a${shape}`]: 2, [`${shape}x`]: 3 })).toBe(
      `{"${shape}x":3,"a${shape}":2,"b":1}`,
    )
  expect(forms.map(canonicalJson)).toEqual(texts)
})

test('hashes are those of the UTF-8 bytes', () => {
  const text = 'Grüße, 钱包 😀'
  expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'))
})

test.each([
  ['plain', true],
  ['😀', true],
  ['\ud83d', false],
  ['\ude00\ud83d', false],
])('%j is well-formed: %s', (text, wellFormed) => {
  expect(isWellFormedText(text)).toBe(wellFormed)
})
