import { expect, test } from 'vitest'
import { reasonsText, tallyLeftOut } from './left-out-rows.js'

test('all rows are counted by reason, and the first are listed', () => {
  const tally = tallyLeftOut(2)
  tally.add(2, 'unknown category "a"')
  tally.add(3, 'the address is empty')
  tally.add(4, 'unknown category "b \\" c"')
  const result = tally.result()
  expect(result).toEqual({
    count: 3,
    rows: [
      { line: 2, reason: 'unknown category "a"' },
      { line: 3, reason: 'the address is empty' },
    ],
    reasons: [
      { reason: 'unknown category "…"', count: 2 },
      { reason: 'the address is empty', count: 1 },
    ],
  })
  expect(reasonsText(result)).toBe('2 rows: unknown category "…"; 1 row: the address is empty')
})

test('a file of ever new reasons counts them together', () => {
  const tally = tallyLeftOut(1)
  for (let line = 1; line <= 500; line += 1) tally.add(line, `reason ${line}`)
  const { reasons } = tally.result()
  expect(reasons).toHaveLength(101)
  expect(reasons[0]).toEqual({ reason: 'another reason', count: 400 })
})
