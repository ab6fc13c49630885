import type { CaseEntry, ReportCase } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { caseDocument } from './case-document.js'

const entry = (changes: Partial<CaseEntry>): CaseEntry => ({
  ...{ version: 1, kind: 'note', at: '2026-11-21T09:00:00.012Z', text: 'Asked.', disposition: null },
  ...{ by: { key_id: '8f2k1m0a', person: null }, previous_disposition: null, proposal_version: null },
  ...changes,
})
const caseOf = (history: readonly CaseEntry[], changes: Partial<ReportCase> = {}): ReportCase => ({
  ...{ report_id: '9f2c4a1be07d6358', address: 'a', chain: 'BTC', level: 'red', score: 100 },
  ...{ disposition: 'open', version: history.length, needs_second_person: true, proposal: null },
  ...{ opened_at: '2026-11-21T09:00:00.012Z', changed_at: '2026-11-21T09:00:00.012Z' },
  history: [...history],
  ...changes,
})
const headsOf = (...entries: CaseEntry[]): string[] =>
  caseDocument(caseOf(entries)).entries.map(({ head }) => head.replace(/^.*?: /, ''))

const file = {
  ...{ name: 'a\u202eb.pdf', media_type: 'application/pdf', bytes: 12_345 },
  ...{ sha256: 'ab', content_sha256: 'cd' },
}

test('every kind of entry is said in words, and one of a later version by its name', () => {
  const cleared = { disposition: 'cleared' } as const
  expect(
    headsOf(
      entry({}),
      entry({ kind: 'disposition_changed', disposition: 'escalated' }),
      entry({ kind: 'disposition_changed', disposition: 'open', previous_disposition: 'escalated' }),
      entry({ kind: 'disposition_proposed', ...cleared }),
      entry({ kind: 'proposal_declined', ...cleared, proposal_version: 4 }),
      entry({ kind: 'disposition_changed', ...cleared, previous_disposition: 'open', proposal_version: 6 }),
      entry({ kind: 'assigned', assignee: null, due_on: null }),
      entry({
        kind: 'assigned',
        assignee: { key_id: 'k', person: null, key_name: 'Desk', has_left: true },
        due_on: '2026-12-31',
      }),
      entry({ kind: 'file_attached', file }),
      entry({ kind: 'merged' }),
    ),
  ).toEqual([
    'note',
    'set to Escalated',
    'changed from Escalated to Open',
    'proposed Cleared',
    'declined Cleared, proposed in entry 4',
    'confirmed Cleared, as proposed in entry 6',
    'assigned to nobody, due on no day',
    'assigned to Desk (has left: no key works any more), due on 2026-12-31',
    'attached a file',
    'merged',
  ])
  expect(caseDocument(caseOf([entry({ kind: 'file_attached', text: '', file })])).entries[0]!.lines).toEqual([
    'a[U+202E]b.pdf (PDF, 12,345 bytes, SHA-256 ab)',
  ])
})

test('a person is named by name, else by key, and no text of theirs hides or reverses anything', () => {
  const named = { key_id: 'k', person: 'Dana\u202eanaD' }
  const [one] = caseDocument(caseOf([entry({ by: named, text: 'a\u202eb\nc' })])).entries
  expect(one).toEqual({
    head: '1. 2026-11-21 09:00:00 UTC, Dana[U+202E]anaD: note',
    what: '2026-11-21 09:00:00 UTC, Dana[U+202E]anaD: note',
    lines: ['a[U+202E]b', 'c'],
  })
  expect(caseDocument(caseOf([entry({})])).entries[0]!.head).toContain('key 8f2k1m0a')
  const ofKey = { key_id: 'k', person: null, key_name: 'Desk' }
  expect(caseDocument(caseOf([entry({ by: ofKey })])).entries[0]!.head).toContain(', Desk: note')
})

test('a case that nobody has worked on says so', () => {
  const empty = { disposition: null, version: 0, opened_at: null, changed_at: null }
  const { entries, fields } = caseDocument(caseOf([], empty))
  expect(entries).toEqual([])
  expect(fields.map(({ value }) => value)).toEqual(['None yet', 'Nobody', 'No day is set', '0'])
})
