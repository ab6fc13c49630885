import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseStrictJson } from './strict-json.js'

const parse = (text: string) => parseStrictJson(Buffer.from(text))

describe('what two readers could understand differently is refused', () => {
  test.each([
    ['a duplicate member', '{"address":"a","address":"b"}', '/address', /more than once/],
    ['a duplicate member in disguise', '{"address":"a","\\u0061ddress":"b"}', '/address', /more than once/],
    ['a duplicate member further in', '{"a":[{},{"b/c~":1,"b/c~":2}]}', '/a/1/b~1c~0', /more than once/],
    ['__proto__', '{"__proto__":{"scope":"read-write"}}', '/__proto__', /not allowed/],
    ['__proto__ in disguise', '{"__pr\\u006fto__":1}', '/__proto__', /not allowed/],
    ['NUL in a string', '{"address":"a\\u0000b"}', '/address', /NUL/],
    ['NUL in a name', '{"a\\u0000":1}', '', /NUL/],
    ['a lone high surrogate', '{"address":"\\ud800"}', '/address', /surrogate/],
    ['a lone low surrogate', '{"list":["x","\\udc00"]}', '/list/1', /surrogate/],
    ['a number beyond 2^53', '{"n":9007199254740993}', '/n', /exactly/],
    ['a number beyond 2^53 in the negative', '[-9007199254740993]', '/0', /exactly/],
    ['an infinite number', '{"n":1e400}', '/n', /exactly/],
    ['an endless string', `{"address":"${'a'.repeat(20_000)}"}`, '/address', /longer than/],
    ['an endless name', `{"${'n'.repeat(200)}":1}`, '', /too long/],
    ['too many elements', `{"addresses":[${'1,'.repeat(5_000)}1]}`, '/addresses', /more than 4096/],
    ['deep arrays', '['.repeat(500_000), '', /deeper than 16/],
    ['deep objects', '{"a":'.repeat(100_000), '', /deeper than 16/],
  ])('%s', (_name, text, pointer, detail) => {
    const parsed = parse(text)
    expect(parsed).toMatchObject({ ok: false, fault: { pointer } })
    expect(parsed.ok ? '' : parsed.fault.detail).toMatch(detail)
  })

  test.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff{}'],
    ['a truncated object', '{"address":"a"'],
    ['a truncated string', '{"address":"a'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{}//'],
    ['single quotes', "{'a':1}"],
    ['two documents', '{}{}'],
    ['a raw control character', '{"a":"\n"}'],
    ['a malformed escape', '{"a":"\\x"}'],
    ['NaN', '{"a":NaN}'],
    ['a leading zero', '{"a":01}'],
    ['closing what was not opened', ']}]}'],
  ])('%s is not JSON', (_name, text) => {
    expect(parse(text)).toMatchObject({ ok: false, fault: { pointer: '' } })
  })

  test.each([
    ['an overlong encoding', [0x22, 0xc0, 0x80, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a stray byte', [0x22, 0xff, 0x22]],
  ])('%s is not UTF-8', (_name, bytes) => {
    expect(parseStrictJson(Buffer.from(bytes))).toMatchObject({ ok: false, fault: { detail: /UTF-8/ } })
  })
})

test('what is accepted is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'small' }), (text) => {
      const parsed = parse(text)
      // The parser may reject a generated document only for the values that it rejects on purpose.
      if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text))
      else expect(parsed.fault.detail).toMatch(/exactly|NUL|not allowed|deeper/)
    }),
  )
})

test('text that JSON.parse refuses is refused, whatever it looks like', () => {
  const fragment = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    'd800',
    '-',
    '1',
    'e9',
    'true',
    ' ',
    '"a"',
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 24 }), (fragments) => {
      const text = fragments.join('')
      const parsed = parse(text)
      if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text))
    }),
    { numRuns: 2_000 },
  )
})

/** Many times the need of a slow machine; work that grows with the square of a mebibyte takes minutes. */
const LINEAR_MS = 1_000

test('the work grows only with the length of a body', () => {
  const mebibyte = 1_048_576
  const bodies = [
    '['.repeat(mebibyte),
    `[${'{},'.repeat(mebibyte / 3 - 2)}{}]`,
    `[${'1,'.repeat(mebibyte / 2 - 2)}1]`,
    `[${`"${'\\u0041'.repeat(2_000)}",`.repeat(80)}0]`,
    '1'.repeat(mebibyte),
    ' '.repeat(mebibyte),
    `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
  ]
  for (const body of bodies) {
    const bytes = Buffer.from(body)
    // Processor time, because other processes may keep the machine busy.
    const started = process.cpuUsage()
    parseStrictJson(bytes)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1000, body.slice(0, 20)).toBeLessThan(LINEAR_MS)
  }
})
