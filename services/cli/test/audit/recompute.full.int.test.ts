import { recomputeReports, verifyLog } from '@cupel/evidence/proofs'
import { sha256Hex, canonicalJson, recompute, type SharedInputs } from '@cupel/domain'
import { topicOf, topicSpecs, type ReportGenerated } from '@cupel/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeAuditPdf } from '../audit-pdf.js'
import { describeCutOffRuns } from '../cut-off-runs.js'
import { openDecided, type Decided } from '../decided.js'
import { magicAddress, MIXED, SANCTIONED, UNLISTED } from '../some-labels.js'

interface Recomputed {
  readonly reports: number
  readonly is_proven: boolean
  readonly levels: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly findings: readonly {
    readonly report_id: string
    readonly level: string
    readonly status: string
    readonly paths: readonly string[]
    readonly reason: string | null
  }[]
}

interface Verified {
  readonly problem_count: number
  readonly reports: number
  readonly repeated_reports: number
  readonly failures: number
  readonly records: number
  readonly problems: readonly { readonly kind: string; readonly topic: string; readonly detail: string }[]
  readonly topics: readonly {
    readonly topic: string
    readonly records: number
    readonly by_type: Readonly<Record<string, number>>
  }[]
}

let decided: Decided
const reports: ReportGenerated[] = []

beforeAll(async () => {
  decided = await openDecided()
  await decided.importLabels('sdn', [SANCTIONED.row])
  await decided.importLabels('mine', [MIXED.row])
  for (const { address } of [SANCTIONED, MIXED, UNLISTED]) reports.push(await decided.screen(address, 'ETH'))
  // Reports decided before and after a change of the labels: each rests on the state of its own time.
  await decided.importLabels('mine', [MIXED.revisedRow])
  reports.push(await decided.screen(MIXED.address, 'ETH'))
  reports.push(await decided.screen(magicAddress, 'ETH', false))
})
afterAll(async () => await decided.close())

const recomputed = (...args: readonly string[]) => decided.json<Recomputed>('audit', 'recompute', ...args)

describe('an untouched log', () => {
  test('gives every report again: its bytes from its record, its inputs from the labels of its time', async () => {
    const all = await recomputed()
    expect(all).toMatchObject({ reports: 5, is_proven: true, findings: [] })
    expect(all.levels['A']).toMatchObject({ same: 5, differs: 0, failed: 0 })
    expect(all.levels['B']).toMatchObject({ same: 5, differs: 0, failed: 0 })
    expect(all.levels['C']).toMatchObject({ nothing_recorded: 5, differs: 0 })
    const text = await decided.cupel('audit', 'recompute')
    expect(text).toMatchObject({ error: null, exitCode: 0 })
    expect(text.out).toContain('Nothing differs.')
  })

  test('is read from a moment on, or for one report', async () => {
    const { generatedAt, reportId } = reports[3]!
    expect(await recomputed('--since', generatedAt, '--level', 'A')).toMatchObject({ reports: 2 })
    expect(await recomputed('--report', reportId)).toMatchObject({ reports: 1, is_proven: true })
    expect(await decided.cupel('audit', 'recompute', '--report', '0123456789abcdef')).toMatchObject({
      exitCode: 1,
    })
  })

  test('is well-formed, counted by topic and event', async () => {
    const verified = await decided.json<Verified>('audit', 'verify')
    expect(verified).toMatchObject({ problem_count: 0, reports: 5, repeated_reports: 0, problems: [] })
    const counts = Object.fromEntries(verified.topics.map(({ topic, by_type }) => [topic, by_type]))
    expect(counts['screening.report.events.v1']).toEqual({ ReportGenerated: 4 })
    expect(counts['sandbox.screening.report.events.v1']).toEqual({ ReportGenerated: 1 })
    expect(counts['screening.label.events.v1']).toEqual({
      LabelsAsserted: 3,
      LabelRetired: 1,
      LabelSetPublished: 3,
    })
    expect((await decided.cupel('audit', 'verify')).out).toContain('No problem was found.')
  })
})

test('threads of their own give the same answer, and their faults are told', async () => {
  const withoutTime = (answer: Recomputed): object => ({ ...answer, measured: null })
  const answer = async (...args: readonly string[]) => withoutTime(await recomputed(...args))
  expect(await answer('--threads', '2')).toEqual(await answer())
  const { database } = decided
  await database.execute('ALTER TABLE label_view.label RENAME TO label_away')
  try {
    const { error } = await decided.cupel('audit', 'recompute', '--threads', '2')
    expect(error).toMatchObject({ message: expect.stringContaining('label_view.label') as string })
  } finally {
    await database.execute('ALTER TABLE label_view.label_away RENAME TO label')
  }
  for (const count of ['0', '9', '1.5', 'two'])
    expect((await decided.cupel('audit', 'recompute', '--threads', count)).error).toMatchObject({
      code: 'commander.invalidArgument',
    })
})

describe('a report that was decided a second time', () => {
  test('counts by its first record, for the proof as for callers', async () => {
    const [first] = reports
    await decided.appendAgain({
      ...first!,
      level: 'green',
      report: first!.report.replace('"red"', '"green"'),
    })
    expect(await recomputed()).toMatchObject({ reports: 5, is_proven: true })
    const verified = await decided.json<Verified>('audit', 'verify')
    expect(verified).toMatchObject({ reports: 5, repeated_reports: 1 })
    // The hash in the second record does not match its text. The audit reports that, although no answer used this record.
    expect(verified.problems.map(({ kind }) => kind)).toEqual(repeatProblems)
  })
})

test('a screening that failed first has no report, whatever comes under its id later', async () => {
  const reportId = 'fedcba9876543210'
  await decided.appendFailure(reportId)
  await decided.appendAgain({ ...reports[1]!, reportId, level: 'green' })
  expect(await recomputed('--report', reportId, '--level', 'A')).toMatchObject({ reports: 0 })
  expect(await decided.json<Verified>('audit', 'verify')).toMatchObject({
    reports: 5,
    failures: 1,
    repeated_reports: 2,
  })
})

test('of a log that is read in shares, because it has more ids than are remembered at once, the answers are the same', async () => {
  const { log, codec, database } = decided
  const whole = { log, codec, database, levels: ['A', 'B'] as const, maxFindings: 10 }
  expect(await recomputeReports({ ...whole, maxIds: 1 })).toEqual(await recomputeReports(whole))
  const publicKeys = null
  const all = {
    ...{ log, codec, database, publicKeys, maxProblems: 10 },
    ...{ topics: topicSpecs, rawTopics: new Set<string>() },
  }
  const [inShares, atOnce] = [await verifyLog({ ...all, maxIds: 1 }), await verifyLog(all)]
  expect(inShares).toEqual(atOnce)
  expect(atOnce).toMatchObject({ reports: 5, failures: 1, repeatedReports: 2, problemCount: 2 })
})

describeCutOffRuns(() => decided)
describeAuditPdf(() => decided)

/** Changes inputs, decides again and returns the report that follows from them, as an attacker would. */
function consistently(
  data: ReportGenerated,
  shared: SharedInputs,
  change: (inputs: ReportGenerated['inputs']) => ReportGenerated['inputs'] = (inputs) => inputs,
): ReportGenerated {
  return recompute({ ...data, inputs: change(data.inputs) }, shared)
}

describe('a record that was tampered with', () => {
  test.each<{
    name: string
    report: number
    change: (data: ReportGenerated, shared: SharedInputs) => ReportGenerated | Promise<ReportGenerated>
    level: 'A' | 'B'
    path: string
    verify: readonly string[]
  }>([
    {
      name: 'its text',
      report: 0,
      change: (data) => ({ ...data, report: data.report.replace('"red"', '"green"') }),
      level: 'A',
      path: 'report',
      verify: ['report-hash', 'report-contents', 'read-model'],
    },
    {
      name: 'its text and its hash',
      report: 0,
      change: (data) => {
        const report = data.report.replace('"red"', '"green"')
        return {
          ...data,
          report,
          level: 'green',
          reportSha256: sha256Hex(canonicalJson(JSON.parse(report))),
        }
      },
      level: 'A',
      path: 'level',
      verify: ['read-model'],
    },
    {
      name: 'a label and everything that follows from it',
      report: 1,
      change: (data, shared) =>
        consistently(data, shared, (inputs) => ({
          ...inputs,
          labels: inputs.labels.map((label) => ({ ...label, confidencePpm: 310_000 })),
        })),
      level: 'B',
      path: 'inputs.labels.0.confidencePpm',
      verify: ['read-model'],
    },
    {
      name: 'the labels it did not see, and everything that follows',
      report: 0,
      change: (data, shared) => consistently(data, shared, (inputs) => ({ ...inputs, labels: [] })),
      level: 'B',
      path: 'inputs.labels.0',
      verify: ['read-model'],
    },
    {
      name: 'the age of a list, and everything that follows',
      report: 2,
      change: async (data, shared) => {
        const labelSets = shared.labelState.labelSets.map((set) => ({
          ...set,
          asOf: '2020-01-01',
          confirmedAt: null,
        }))
        const changed = { ...shared.labelState, labelSets }
        const labelStateSha256 = await decided.appendLabelState(changed)
        return consistently(data, { ...shared, labelState: { ...changed, sha256: labelStateSha256 } })
      },
      level: 'B',
      path: 'labelState.labelSets.0.asOf',
      verify: ['read-model'],
    },
  ])('$name: found at level $level', async ({ report, change, level, path, verify }) => {
    const original = reports[report]!
    const { reportId } = original
    const changed = await change(structuredClone(original), await decided.shared(original))
    await decided.tamper(reportId, () => changed)
    try {
      const found = await recomputed('--report', reportId)
      expect(found.is_proven).toBe(false)
      const atLevel = found.findings.filter((finding) => finding.level === level)
      expect(atLevel).toMatchObject([{ report_id: reportId, status: 'differs' }])
      expect(atLevel[0]!.paths.some((differing) => differing.startsWith(path))).toBe(true)
      expect(found.levels['A']).toMatchObject(level === 'B' ? { same: 1 } : { differs: 1 })
      expect((await decided.cupel('audit', 'recompute', '--report', reportId)).exitCode).toBe(1)

      const verified = await decided.json<Verified>('audit', 'verify')
      const kinds = verified.problems
        .filter(({ detail }) => detail.includes(reportId))
        .map(({ kind }) => kind)
      expect(new Set(kinds)).toEqual(new Set([...verify, ...(report === 0 ? repeatProblems : [])]))
      expect((await decided.cupel('audit', 'verify')).exitCode).toBe(1)
    } finally {
      await decided.tamper(reportId, () => original)
    }
  })

  test.each<[string, (inputs: ReportGenerated['inputs']) => ReportGenerated['inputs'], string]>([
    [
      'lists',
      (inputs) => ({ ...inputs, labelStateSha256: '0'.repeat(64) }),
      `The log has no LabelStateRecorded event with the hash ${'0'.repeat(64)} that the report names.`,
    ],
    [
      'policy',
      (inputs) => ({ ...inputs, policySha256: '0'.repeat(64) }),
      `The log has no PolicyActivated event with the hash ${'0'.repeat(64)} that the report names.`,
    ],
  ])(
    'a report that names %s which the log does not contain fails with a sentence',
    async (_what, change, reason) => {
      const original = reports[1]!
      await decided.tamper(original.reportId, (data) => ({ ...data, inputs: change(data.inputs) }))
      try {
        const found = await recomputed('--report', original.reportId)
        expect(found).toMatchObject({ is_proven: false, levels: { A: { failed: 1 }, B: { failed: 1 } } })
        expect(found.findings[0]).toMatchObject({ level: 'A', status: 'failed', reason })
      } finally {
        await decided.tamper(original.reportId, () => original)
      }
    },
  )

  test('a scorer this version does not have is a failure, never the same', async () => {
    const original = reports[2]!
    await decided.tamper(original.reportId, (data) => ({
      ...data,
      inputs: { ...data.inputs, scorerVersion: '9.9.9' },
    }))
    try {
      const found = await recomputed('--level', 'A')
      expect(found.levels['A']).toMatchObject({ failed: 1, differs: 0 })
      expect(found.findings[0]).toMatchObject({ status: 'failed', reason: 'unknown_scorer_version: 9.9.9' })
      expect((await decided.cupel('audit', 'recompute', '--level', 'A')).exitCode).toBe(1)
    } finally {
      await decided.tamper(original.reportId, () => original)
    }
  })

  test('bytes that somebody without a key wrote instead are told and passed by', async () => {
    const { reportId } = reports[2]!
    const [row] = await decided.database.query<{
      value: Buffer
      partition_id: number
      record_offset: number
    }>('SELECT value, partition_id, record_offset FROM log.record WHERE key = $1 AND headers->>$2 = $3', [
      reportId,
      'ce_type',
      'ReportGenerated',
    ])
    const write = (value: Buffer) =>
      decided.database.execute(
        'UPDATE log.record SET value = $1 WHERE partition_id = $2 AND record_offset = $3',
        [value, row!.partition_id, row!.record_offset],
      )
    await write(Buffer.from('nothing of the kind'))
    try {
      expect(await recomputed('--level', 'A')).toMatchObject({
        reports: 5,
        is_proven: false,
        findings: [{ report_id: reportId, status: 'failed' }],
      })
      const verified = await decided.json<Verified>('audit', 'verify')
      expect(verified.problems.map(({ kind }) => kind)).toContain('forged')
    } finally {
      await write(row!.value)
    }
  })
})

/** The problem of the second record of the first report, see above. */
const repeatProblems = ['report-hash']

// These tests come last, because their deletions cannot be undone.
test('a topic whose front is gone is named, even where nothing else is wrong with it', async () => {
  const topic = topicOf('PolicyActivated')
  await decided.deleteFront(topic, 1)
  const { problems } = await decided.json<Verified>('audit', 'verify')
  expect(problems.filter((problem) => problem.topic === topic)).toMatchObject([
    { kind: 'truncated', partition: 0, offset: 1, detail: expect.stringContaining('front') as string },
  ])
  expect(await decided.cupel('audit', 'export')).toMatchObject({ error: null, exitCode: 1 })
})

test('what is left of a log without its front proves nothing of the reports that are gone', async () => {
  const topic = topicOf('ReportGenerated')
  const [{ partition, oldest }] = (await decided.database.query<{ partition: number; oldest: number }>(
    `SELECT p.partition, min(r.record_offset)::int AS oldest FROM log.record r JOIN log.topic_partition p ON p.id = r.partition_id
     WHERE p.topic = $1 GROUP BY p.partition LIMIT 1`,
    [topic],
  )) as [{ partition: number; oldest: number }]
  await decided.deleteFront(topic, oldest + 1, partition)
  const found = await recomputed('--level', 'A')
  expect(found).toMatchObject({
    is_proven: false,
    levels: { A: { differs: 0 } },
    missing_fronts: [{ topic, partition, begins_at: oldest + 1 }],
  })
  const text = await decided.cupel('audit', 'recompute', '--level', 'A')
  expect(text).toMatchObject({ exitCode: 1 })
  expect(text.out).toContain(`${topic}/${partition} begins at offset ${oldest + 1}`)
  expect(text.out).not.toContain('Nothing differs.')
})

test('a record that was taken out of the log is missed', async () => {
  await decided.database.execute(
    `DELETE FROM log.record WHERE record_offset = 1 AND partition_id =
       (SELECT id FROM log.topic_partition WHERE topic = 'screening.label.events.v1')`,
  )
  const verified = await decided.json<Verified>('audit', 'verify')
  expect(verified.problems.map(({ kind }) => kind)).toContain('gap')
  expect((await decided.cupel('audit', 'verify')).exitCode).toBe(1)
})
