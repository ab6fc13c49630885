import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeptDocuments } from './kept-documents.js'

const bytes = (length: number): Uint8Array => new Uint8Array(length)

test('an account that reads many documents displaces its own, the one read longest ago first, and none of others', () => {
  const kept = createKeptDocuments(100, 50)
  kept.keep('quiet', 'a', bytes(30))
  for (const name of ['a', 'b']) kept.keep('greedy', name, bytes(30))
  kept.get('greedy', 'a')
  for (const name of ['c', 'd']) kept.keep('greedy', name, bytes(30))
  expect(kept.get('quiet', 'a')).toEqual(bytes(30))
  expect(['a', 'b', 'c', 'd'].map((name) => kept.get('greedy', name) !== undefined)).toEqual([
    ...[false, false, true, true],
  ])
})

test('a document belongs to its account, and a large one is not kept', () => {
  const kept = createKeptDocuments(100, 50)
  kept.keep('one', 'a', bytes(50))
  kept.keep('one', 'b', bytes(51))
  expect([kept.get('other', 'a'), kept.get('one', 'b')]).toEqual([undefined, undefined])
  expect(kept.get('one', 'a')).toHaveLength(50)
})

test('the kept bytes never exceed their limit', () => {
  const order = fc.record({
    account: fc.constantFrom('a', 'b', 'c'),
    name: fc.nat(20),
    length: fc.integer({ min: 1, max: 40 }),
  })
  fc.assert(
    fc.property(fc.array(order, { maxLength: 60 }), (orders) => {
      const kept = createKeptDocuments(100, 50)
      for (const { account, name, length } of orders) kept.keep(account, String(name), bytes(length))
      const held = ['a', 'b', 'c'].flatMap((account) =>
        Array.from({ length: 21 }, (_, name) => kept.get(account, String(name))?.byteLength ?? 0),
      )
      expect(held.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(100)
    }),
  )
})
