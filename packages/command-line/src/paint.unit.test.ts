import { hostileStrings } from '@cupel/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forTerminal, paintFor } from './paint.js'

const terminal = { isTTY: true }
/** Every C0 except the line end, DEL, C1, the marks of direction, isolates, and separators of lines. */
const obeyed = [
  ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).filter((one) => one !== '\n'),
  ...Array.from({ length: 33 }, (_, code) => String.fromCharCode(0x7f + code)),
  ...'\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff',
  '\u{e0001}',
]

describe('a terminal', () => {
  test.each(obeyed.map((one) => [JSON.stringify(one), one]))('does not get %s', (_, one) => {
    expect(forTerminal(`a${one}b`)).not.toContain(one)
  })

  test('gets line ends, and text in every script as it is', () => {
    const text = 'ünï\n地址 عربي'
    expect(forTerminal(text)).toBe(text)
  })

  test('gets our colours, and none of what others wrote', () => {
    const paint = paintFor(terminal, {})
    const foreign = '\u001b[32mGREEN\u001b[39m\u009b2J\u001b]0;title\u0007'
    expect(forTerminal(paint('red', `RED ${foreign}`))).toBe(
      '\u001b[31mRED \\u001b[32mGREEN\\u001b[39m\\u009b2J\\u001b]0;title\\u0007\u001b[39m',
    )
  })

  test('gets the same JSON document', () => {
    const strings = fc.string({ unit: fc.constantFrom(...obeyed, 'a', '"', '\\', '\n', '地') })
    fc.assert(
      fc.property(strings, (text) => {
        const shown = forTerminal(JSON.stringify({ [text]: text }))
        expect(JSON.parse(shown)).toEqual({ [text]: text })
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
    )
  })

  test('gets nothing that it obeys out of 5,000 hostile strings', () => {
    for (const text of hostileStrings(5_000, 7))
      expect(forTerminal(text).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
  })
})

test('without a terminal, or with NO_COLOR, there are no colours', () => {
  expect(paintFor({ isTTY: false }, {})('red', 'a')).toBe('a')
  expect(paintFor(terminal, { NO_COLOR: '1' })('red', 'a')).toBe('a')
})
