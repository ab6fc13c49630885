import { expect, test } from 'vitest'
import { writeFingerprint } from './fingerprint.js'

function fingerprintOf(...parts: readonly string[]): string {
  const words = new Int32Array(2)
  writeFingerprint(parts, words)
  expect(words[0]).not.toBe(0)
  return words.join()
}

test('equal parts have one fingerprint, and parts that differ anywhere have another one', () => {
  const told = ['', `0x${'0'.repeat(40)}`, `0x${'1'.repeat(40)}`, '1000000000000000000']
  const others = told.flatMap((part, index) =>
    [...part, ''].flatMap((_, at) =>
      ['a', '0', ''].map((one) => told.with(index, part.slice(0, at) + one + part.slice(at + 1))),
    ),
  )
  const distinct = [...new Set([told, ...others].map((parts) => parts.join(' ')))].map((text) =>
    text.split(' '),
  )
  expect(new Set(distinct.map((parts) => fingerprintOf(...parts))).size).toBe(distinct.length)
  expect(fingerprintOf(...told)).toBe(fingerprintOf(...told))
})

test('what moves from one part to the next one changes the fingerprint', () => {
  const splits = Array.from({ length: 7 }, (_, at) => ['abcdef'.slice(0, at), 'abcdef'.slice(at)])
  expect(new Set(splits.map((parts) => fingerprintOf(...parts))).size).toBe(splits.length)
  expect(fingerprintOf('', 'a')).not.toBe(fingerprintOf('a', ''))
})
