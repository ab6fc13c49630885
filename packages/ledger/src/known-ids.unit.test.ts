import type { Database } from '@cupel/postgres'
import { expect, test } from 'vitest'
import { createIdSet, createKnownIds } from './known-ids.js'

const id = (n: number): string => n.toString(16).padStart(8, '0').repeat(2).padEnd(32, '0')

test('an id is added once, however many there are', () => {
  const ids = createIdSet()
  const many = Array.from({ length: 200_000 }, (_, n) => id(n * 20_011))
  expect(many.filter((one) => !ids.add(one))).toEqual([])
  expect(many.filter((one) => ids.add(one))).toEqual([])
})

test('a set that is full adds nothing more', () => {
  const most = 2 ** 16
  const ids = createIdSet(most)
  const added = Array.from({ length: most }, (_, n) => ids.add(id(n))).filter(Boolean).length
  expect(added).toBeLessThan(most)
  expect(added).toBeGreaterThan(most / 2)
})

test.each([
  ['an id comes again', [id(1)], false],
  ['a batch finds rows by their ids', [id(9)], true],
])('as soon as %s, the index of ids is built once and asked from then on', async (_, more, findsRows) => {
  const asked: unknown[] = []
  const database = { execute: (text: string) => Promise.resolve(asked.push(text)) } as unknown as Database
  const known = createKnownIds(database, true)
  expect(await known.areNew([id(1), id(2)], false)).toBe(true)
  expect(await known.areNew([id(3)], false)).toBe(true)
  expect(asked).toEqual([])
  expect(await known.areNew(more, findsRows)).toBe(false)
  expect(await known.areNew([id(4)], false)).toBe(false)
  expect(asked).toEqual(['SELECT ledger.index_ids()'])
})

test('a ledger that has rows is asked from the first batch on', async () => {
  const known = createKnownIds({} as Database, false)
  expect(await known.areNew([id(1)], false)).toBe(false)
})
