import type { Transfer } from '@cupel/domain'
import { expect, test } from 'vitest'
import { createKnownTransfers } from './known-transfers.js'

const of = (count: number): readonly Transfer[] => Array.from<Transfer>({ length: count })

test('what was not asked for longest is forgotten first, and no more is kept than the bound', () => {
  const known = createKnownTransfers(500)
  for (const key of ['a', 'b']) known.keep(key, of(200))
  known.get('a')
  known.keep('c', of(200))
  expect(['a', 'b', 'c'].map((key) => known.get(key)?.length)).toEqual([200, undefined, 200])
  known.keep('all', of(501))
  expect(known.get('all')).toBeUndefined()
  known.keep('a', of(300))
  expect(['a', 'c'].map((key) => known.get(key)?.length)).toEqual([300, 200])
})
