import { expect, test } from 'vitest'
import { boundsOf, parseMonth, planMonths, type MonthFacts } from './plan.js'

const MONTH: MonthFacts = {
  ...{ month: '2024-01', reports: 3, documents: 2, documentBytes: 9, archived: 3 },
  ...{ beyondHead: 0, recordBytes: 20 },
}
const kept = (facts: Partial<MonthFacts>, refusals: readonly string[] = []) =>
  planMonths([{ ...MONTH, ...facts }], refusals)[0]!.kept

test('a month may leave only if the archive has each of its reports below a signed tree head, and is not refused', () => {
  expect(kept({})).toBeNull()
  expect(kept({ archived: 2 })).toContain('1 of its reports are not in the archive')
  expect(kept({ beyondHead: 2 })).toContain('2 of its reports are behind the signed tree head')
  expect(kept({}, ['a segment is missing'])).toContain('The archive is refused')
})

test('a month is one of UTC', () => {
  expect(boundsOf('2024-01')).toEqual({ from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' })
  expect(boundsOf('2023-12').to).toBe('2024-01-01T00:00:00.000Z')
  expect(['2024-01', '2024-12', '2024-13', '2024-1', '24-01', '2024-01-01', ''].map(parseMonth)).toEqual([
    ...['2024-01', '2024-12', null, null, null, null, null],
  ])
})
