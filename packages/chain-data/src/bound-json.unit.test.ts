import { expect, test } from 'vitest'
import { boundJson } from './bound-json.js'

const take = (text: string, size: number): (() => void) => {
  const bound = boundJson()
  const bytes = Buffer.from(text)
  return () => {
    for (let at = 0; at < bytes.length; at += size) bound(bytes.subarray(at, at + size))
  }
}

test.each([
  ['a number of 101 digits', `{"a":${'1'.repeat(101)}`, 'malformed'],
  ['a list in 64 others', '['.repeat(65), 'malformed'],
  ['an object in 64 others', '{"a":'.repeat(65), 'malformed'],
  ['a list of half a million values', `[${'1,'.repeat(500_000)}`, 'too_large'],
  ['half a million empty objects', `[${'{},'.repeat(250_001)}`, 'too_large'],
])('%s is refused at once, however it is cut', (_, text, code) => {
  for (const size of [7, 65_536]) expect(take(text, size)).toThrow(expect.objectContaining({ code }) as Error)
})

test('texts hold any number of digits and brackets, and what closes is open no longer', () => {
  const text = JSON.stringify({
    ...{ long: '1'.repeat(1_000), nested: '['.repeat(1_000), quoted: `\\"${'['.repeat(100)}\\` },
    closed: Array.from({ length: 1_000 }, () => [{}]),
    number: Number('9'.repeat(15)),
  })
  for (const size of [1, 3, 65_536]) expect(take(text, size)).not.toThrow()
})
