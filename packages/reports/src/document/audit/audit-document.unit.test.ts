import { sha256Hex } from '@cupel/domain'
import { expect, test } from 'vitest'
import { auditDocument, MAX_FINDING_ROWS } from './audit-document.js'
import type { AuditQuestion, AuditStatement, RecomputeAnswer } from './audit-statement.js'

const none = { same: 0, differs: 0, failed: 0, not_derivable: 0, nothing_recorded: 0 }

function statement({
  asked,
  answer,
  ...changes
}: {
  asked?: Partial<AuditQuestion>
  answer?: Partial<RecomputeAnswer>
} & Partial<Omit<AuditStatement, 'asked' | 'answer'>> = {}): AuditStatement {
  return {
    ...{ format: 'cupel-audit-statement-1', command: 'audit recompute', release: '0.1.0', log: 'a1b2' },
    ...{ made_at: '2026-11-25T09:00:00.000Z', made_by: 'operator:dana', installation: 'cupel/5f0c' },
    ...{ checks_macs: true, signed_by: '8a90b1c2', unsigned_because: null },
    asked: {
      ...{ archive: null, public_keys_sha256: null, levels: ['A'], since: null, report_id: null },
      ...{ limit: 100, expected_log: null, min_reports: null },
      ...asked,
    },
    answer: {
      ...{
        reports: 5,
        is_proven: true,
        levels: { A: { ...none, same: 5 } },
        findings: [],
        findings_omitted: 0,
      },
      ...{ missing_fronts: [], erased_references: 0, scorers: [], policies: [], ranges: [] },
      ...{ resumed_reports: 0, measured: { seconds: 1, cpu_seconds: 1 } },
      ...answer,
    },
    ...changes,
  }
}
const documentOf = (of: Parameters<typeof statement>[0]) => auditDocument(statement(of), '{}')
const headlineOf = (answer: Partial<RecomputeAnswer>, asked: Partial<AuditQuestion> = {}): string =>
  documentOf({ answer, asked }).headline
const finding = (changes: Partial<RecomputeAnswer['findings'][number]>) => ({
  ...{ report_id: '9f2c4a1be07d6358', level: 'A', status: 'differs', paths: ['report'], reason: null },
  ...{ topic: 't', partition: 3, offset: 17 },
  ...changes,
})

test('only what the answer calls proven is said to be', () => {
  expect(headlineOf({})).toBe('Nothing differs. 5 reports were decided again, at level A.')
  expect(headlineOf({ reports: 1 }, { levels: ['A', 'B', 'C'] })).toBe(
    'Nothing differs. 1 report was decided again, at levels A, B and C.',
  )
  const failed = { is_proven: false } as const
  expect(headlineOf({ ...failed, levels: { A: { ...none, differs: 1, failed: 2 } } })).toBe(
    'Not proven. Of 5 reports at level A, 1 result differs and 2 could not be decided again.',
  )
  const missing_fronts = [{ topic: 't', partition: 0, begins_at: 7 }]
  expect(headlineOf({ ...failed, missing_fronts })).toContain('Not proven. Nothing differs in what is left')
  expect(headlineOf(failed, { min_reports: 10 })).toContain(
    'Not proven. The log has 5 reports, and at least 10',
  )
  expect(headlineOf({ ...failed, reports: 0 })).toContain('Nothing is proven')
  // A reason that is unknown to this document never reads as proven.
  expect(headlineOf(failed)).toContain('Nothing is proven')
})

test('what limits the answer stands before it: no signature, a part of the reports, a state file, records that were not checked', () => {
  expect(documentOf({}).cautions).toEqual([])
  const limited = documentOf({
    ...{ signed_by: null, unsigned_because: 'No key was there.', checks_macs: false },
    asked: { since: '2026-11-01T00:00:00.000Z' },
    answer: { resumed_reports: 2 },
  })
  expect(limited.cautions).toEqual([
    'This PDF is not signed. No key was there.',
    'Only a part of the reports was asked for.',
    expect.stringContaining('2 reports were decided by an earlier run'),
    expect.stringContaining('MACs of records were not checked'),
  ])
})

test('a log whose name is not a plain word is not in the title, and still in the document', () => {
  expect(documentOf({}).title).toContain('the log a1b2')
  const hostile = documentOf({ log: '<img src=x> & "' })
  expect(hostile.title).toBe('Audit of a log: reports decided again')
  expect(hostile.asked.body.map(({ value }) => value)).toContain('<img src=x> & "')
})

test('each finding has its place in the log and its reason, and the rows are bounded', () => {
  const { findings } = documentOf({
    answer: {
      findings: [
        finding({ paths: ['a', 'b', 'c', 'd', 'e', 'f'] }),
        finding({ status: 'not-derivable', paths: [], reason: 'Gone\u202e.', level: 'C' }),
      ],
    },
  })
  expect(findings.body!.rows).toEqual([
    ['9f2c4a1be07d6358', 'A', 'Differs', 't/3 at 17', 'a, b, c, d, and 2 more'],
    ['9f2c4a1be07d6358', 'C', 'Not derivable', 't/3 at 17', 'Gone[U+202E].'],
  ])
  expect(findings.more).toEqual([])
  const many = documentOf({
    answer: { findings: Array.from({ length: 10_000 }, () => finding({})), findings_omitted: 3 },
  }).findings
  expect(many.body!.rows).toHaveLength(MAX_FINDING_ROWS)
  expect(many.more).toEqual([
    '9,500 more are in the attached answer.',
    '3 more were counted and not listed (--limit lists them).',
  ])
  // With --limit 0 nothing is listed, which differs from nothing found.
  const unlisted = documentOf({ answer: { findings_omitted: 4 } }).findings
  expect(unlisted).toMatchObject({
    body: null,
    none: '',
    more: [expect.stringContaining('4 more were counted')],
  })
})

test('an archive is named with its manifest, and the attached statement with its hash', () => {
  const archive = {
    ...{ place: '/backup/a', manifest: 12, manifest_sha256: 'ab'.repeat(32), key_id: '8a90b1c2' },
    manifest_time: '2026-11-24T23:00:00.000Z',
  }
  const document = auditDocument(statement({ asked: { archive } }), '{"x":1}')
  const values = [...document.asked.body, ...document.provenance.body].map(({ value }) => value)
  expect(values).toContain('The archive /backup/a')
  expect(values).toContain('12 of 2026-11-24 23:00:00 UTC, signed by the key 8a90b1c2')
  expect(values).toContain('ab'.repeat(32))
  expect(values).toContain(sha256Hex('{"x":1}'))
})

test('records are added up by topic, and a version beyond the listed ones is said to be one', () => {
  const range = (topic: string, partition: number, to: number) => ({ topic, partition, from: 2, to })
  const { read, versions } = documentOf({
    answer: {
      ranges: [range('a', 0, 10), range('a', 1, 1_002), range('b', 0, 2)],
      scorers: [{ name: '1.0.0', reports: 4 }],
      policies: [{ name: null, reports: 1 }],
    },
  })
  expect(read.body.rows).toEqual([
    ['a', '2', '1,008'],
    ['b', '1', '0'],
  ])
  expect(versions.body!.rows).toEqual([
    ['Scorer', '1.0.0', '4'],
    ['Policy', 'Further ones, not listed', '1'],
  ])
})
