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

test('the summary says which tables differ and what is in service now', () => {
  const table = (name: string, rowsBefore: number, rowsAfter: number, isEqual: boolean) => ({
    table: name,
    rowsBefore,
    rowsAfter,
    isEqual,
  })
  const result = { readModel: 'label-view', records: 50_000, durationMs: 2_000 }
  const comparison = [
    table('label', 3, 3, true),
    table('retirement', 2, 2, false),
    table('publication', 2, 1, false),
  ]
  expect(replaySummary({ ...result, comparison, switched: true })).toBe(
    [
      'label-view: 50,000 records in 2.0 s (25,000 per second).',
      '  label: 3 rows, the same as in service.',
      '  retirement: 2 rows with other contents: DIFFERENT from what was in service.',
      '  publication: 1 rows instead of 2: DIFFERENT from what was in service.',
      'The rebuilt tables are in service.',
    ].join('\n'),
  )
  expect(replaySummary({ ...result, comparison: [], switched: false })).toContain('Nothing was changed.')
})
