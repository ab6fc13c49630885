import { expect, test } from 'vitest'
import { createWordTable, writeHex } from './word-table.js'

/** Keys that differ in their first word only, as addresses that somebody chose do. */
function tableOf(most: number) {
  const table = createWordTable({ keyWords: 2, valueWords: 2, most })
  const seek = (n: number): boolean => {
    table.key.set([n, 7])
    return table.find()
  }
  return {
    valueOf: (n: number): readonly number[] | null => (seek(n) ? [...table.value] : null),
    add(n: number): void {
      seek(n)
      table.value.set([n + 1, -n])
      table.add()
    },
  }
}

test('every key keeps its own value while the table grows', () => {
  const table = tableOf(1_000_000)
  const keys = Array.from({ length: 20_000 }, (_, n) => n * 65_536 + (n & 3))
  for (const n of keys) table.add(n)
  expect(keys.filter((n) => table.valueOf(n)?.join() !== [(n + 1) | 0, -n | 0].join())).toEqual([])
  expect(table.valueOf(1)).toBeNull()
})

test('of more keys than the table holds, the newest half is kept whole, and older ones are forgotten', () => {
  const table = tableOf(1_000)
  for (let n = 0; n < 10_000; n += 1) table.add(n)
  const kept = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => table.valueOf(n) !== null)
  expect(kept.length).toBeLessThanOrEqual(1_000)
  expect(kept.slice(-500)).toEqual(Array.from({ length: 500 }, (_, n) => 9_500 + n))
})

test('only hexadecimal digits in lower case become words, and each digit counts', () => {
  const words = new Int32Array(2)
  expect(writeHex('0x0123456789abcdef', 2, words)).toBe(true)
  expect([...words]).toEqual([0x01234567, 0x89abcdef | 0])
  for (const bad of ['G', 'g', 'A', '/', ':', '`', ' ', 'é'])
    for (let at = 0; at < 16; at += 1)
      expect([bad, at, writeHex('0'.repeat(at) + bad + '0'.repeat(15 - at), 0, words)]).toEqual([
        bad,
        at,
        false,
      ])
})
