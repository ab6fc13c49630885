import type { RebuildResult } from '@cupel/projections'
import { expect, test } from 'vitest'
import { progressNotes, replaySummary } from './replay-text.js'

test('progress is told once a second, and whenever the phase changes', () => {
  const notes: string[] = []
  let now = 0
  const progress = progressNotes(
    (text) => notes.push(text),
    () => now,
  )
  progress({ phase: 'reading', records: 1, total: 2_000 })
  now = 999
  progress({ phase: 'reading', records: 2, total: 2_000 })
  now = 1_000
  progress({ phase: 'reading', records: 1_500, total: 2_000 })
  progress({ phase: 'switching', records: 2_000, total: 2_000 })
  expect(notes).toEqual([
    'reading: 1 of 2,000 records',
    'reading: 1,500 of 2,000 records',
    'switching: 2,000 of 2,000 records',
  ])
})

const table = (name: string, rows: readonly [number, number], only: readonly [number, number]) => ({
  ...{ table: name, rowsBefore: rows[0], rowsAfter: rows[1] },
  ...{ rowsOnlyBefore: only[0], rowsOnlyAfter: only[1], isEqual: only[0] + only[1] === 0, different: [] },
})
const rebuilt: RebuildResult = {
  ...{ readModel: 'label-view', records: 50_000, skipped: 0, durationMs: 2_000 },
  ...{ comparison: [table('label', [3, 3], [0, 0])], differences: 0, isNewDefinition: false, switched: true },
}
const different: RebuildResult = {
  ...rebuilt,
  ...{ comparison: [table('retirement', [2, 2], [1, 1]), table('publication', [2, 1], [1, 0])] },
  ...{ differences: 3, switched: false },
}

test('the summary says what is in service now', () => {
  expect(replaySummary(rebuilt)).toBe(
    [
      'label-view: 50,000 records in 2.0 s (25,000 per second).',
      '  label: 3 rows, the same as in service.',
      'The rebuilt tables are in service.',
    ].join('\n'),
  )
  expect(replaySummary({ ...rebuilt, skipped: 7 })).toContain('7 of them cannot be read')
})

test('the summary says which tables differ, that they were left, and how to accept them', () => {
  expect(replaySummary(different).split('\n').slice(1)).toEqual([
    '  retirement: DIFFERENT: 1 rows only in service, 1 only in the rebuild, of 2 and 2.',
    '  publication: DIFFERENT: 1 rows only in service, 0 only in the rebuild, of 2 and 1.',
    expect.stringContaining('Nothing was changed: 3 DIFFERENCES.'),
    'To put the rebuilt tables into service all the same: --accept 3 --reason "…"',
  ])
  expect(replaySummary(different, 2)).toContain('2 differences were accepted, and there are 3.')
  expect(replaySummary({ ...different, isNewDefinition: true, switched: true })).toContain('expected')
})
