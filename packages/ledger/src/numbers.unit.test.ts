import type { Queryable } from '@cupel/postgres'
import { expect, test } from 'vitest'
import { createAddressNumbers } from './numbers.js'

/** A table of addresses with these rows; the other ones get the next numbers. */
function tableWith(rows: readonly string[]) {
  const numbers = new Map(rows.map((text, index) => [text, index + 1]))
  const sought: string[] = []
  const transaction = {
    query: async ({ name }: { name: string }, [, texts]: readonly [string, readonly string[]]) => {
      if (name === 'ledger.lock-numbers') return []
      if (name === 'ledger.any-rows') return [{ is_any: numbers.size > 0 }]
      if (name === 'ledger.find-addresses') sought.push(...texts)
      else
        for (const text of texts) {
          if (numbers.has(text)) throw new Error(`${text} has a number`)
          numbers.set(text, numbers.size + 1)
        }
      return texts.flatMap((text) => (numbers.has(text) ? [{ text, number: numbers.get(text) }] : []))
    },
  } as unknown as Queryable
  return { transaction, sought, numbers }
}

const hex = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const texts = [
  '',
  ...Array.from({ length: 3_000 }, (_, n) => hex(n)),
  hex(1).toUpperCase(),
  `coinjoin:${'a'.repeat(33)}`,
  `0x${'g'.repeat(40)}`,
]

test('an address has one number in all batches, and is looked for only if it may have one', async () => {
  const { transaction, sought, numbers } = tableWith([])
  const known = createAddressNumbers()
  const first = await known.numbersOf(transaction, 'ETH', texts)
  expect(first).toEqual(texts.map((text) => numbers.get(text)))
  expect(sought).toEqual([])
  // The first transaction was not committed, so its numbers are asked for.
  expect(await known.numbersOf(transaction, 'ETH', texts)).toEqual(first)
  expect(new Set(sought)).toEqual(new Set(texts))
  known.keep()
  expect(await known.numbersOf(transaction, 'ETH', [...texts].reverse())).toEqual([...first].reverse())
  expect(sought).toHaveLength(texts.length)
})

test('a chain that has addresses is asked for each one that this import has not met', async () => {
  const { transaction, sought } = tableWith([hex(5), hex(6)])
  const known = createAddressNumbers()
  expect(await known.numbersOf(transaction, 'ETH', [hex(6), hex(7)])).toEqual([2, 3])
  expect(sought).toEqual([hex(6), hex(7)])
})
