/** Made-up statements of audits: nothing found, much found, and every text hostile. */
import type { AuditStatement } from '../../src/document/audit/audit-statement.js'
import { hostileTexts } from '@cupel/testkit'

const DIGEST = '5a1f'.repeat(16)
const LIVE = 'screening.report.events.v1'
const none = { same: 0, differs: 0, failed: 0, not_derivable: 0, nothing_recorded: 0 }
const range = (topic: string, partition: number) => ({ topic, partition, from: 0, to: 62_500 })

export function sampleStatement(changes: Partial<AuditStatement> = {}): AuditStatement {
  return {
    ...{ format: 'cupel-audit-statement-1', command: 'audit recompute', release: '0.1.0' },
    ...{ made_at: '2026-11-25T09:00:00.000Z', made_by: 'operator:dana', checks_macs: true },
    ...{
      installation: 'cupel/5f0c1d2e3a4b',
      log: '7b2e9c40a1d85f36',
      signed_by: '8a90b1c2',
      unsigned_because: null,
    },
    asked: {
      ...{ archive: null, public_keys_sha256: null, levels: ['A', 'B', 'C'], since: null, report_id: null },
      ...{ limit: 100, expected_log: null, min_reports: null },
    },
    answer: {
      ...{ reports: 500_000, is_proven: true, findings: [], findings_omitted: 0, missing_fronts: [] },
      levels: {
        A: { ...none, same: 500_000 },
        B: { ...none, same: 500_000 },
        C: { ...none, same: 120_000, nothing_recorded: 380_000 },
      },
      ...{ erased_references: 12, resumed_reports: 0, measured: { seconds: 24.613, cpu_seconds: 37.02 } },
      scorers: [{ name: '1.0.0', reports: 500_000 }],
      policies: [
        { name: 'default 1', reports: 499_000 },
        { name: 'acc_7f3a 4', reports: 1_000 },
      ],
      ranges: [0, 1, 2, 3].flatMap((partition) => [
        range(LIVE, partition),
        range(`sandbox.${LIVE}`, partition),
      ]),
    },
    ...changes,
  }
}

/** Every third one could not be decided at all. */
export const findingsOf = (count: number, what = ''): AuditStatement['answer']['findings'] =>
  Array.from({ length: count }, (_, index) => ({
    report_id: index.toString(16).padStart(16, '9f2c4a1be07d6358'),
    ...{
      level: index % 2 === 0 ? 'A' : 'B',
      topic: `sandbox.${LIVE}${what}`,
      partition: index % 32,
      offset: index * 7,
    },
    ...(index % 3 === 0
      ? { status: 'failed', paths: [], reason: `unknown_scorer_version: 9.9.9${what}` }
      : {
          status: 'differs',
          paths: ['inputs.labels.0.confidencePpm', 'report', 'score', 'level', 'reportSha256', what],
          reason: null,
        }),
  }))

/** An archive that an auditor read, with 10,000 differences of which the command listed all, and more. */
function differing(): AuditStatement {
  const { asked, answer } = sampleStatement()
  return sampleStatement({
    ...{ signed_by: null, checks_macs: false },
    unsigned_because: 'The command had no signing keys of the installation.',
    asked: {
      ...asked,
      ...{ levels: ['A'], limit: 10_000, public_keys_sha256: DIGEST, since: '2026-11-01T00:00:00.000Z' },
      archive: {
        ...{ place: '/backup/cupel-archive', manifest: 12, manifest_sha256: DIGEST, key_id: '8a90b1c2' },
        manifest_time: '2026-11-24T23:00:00.000Z',
      },
    },
    answer: {
      ...answer,
      ...{ is_proven: false, findings: findingsOf(10_000), findings_omitted: 2_345, resumed_reports: 31_250 },
      levels: { A: { ...none, same: 487_655, differs: 8_000, failed: 4_345 } },
      missing_fronts: [{ topic: LIVE, partition: 3, begins_at: 1_201 }],
    },
  })
}

function hostile(): AuditStatement {
  const { asked, answer } = sampleStatement()
  const all = hostileTexts.join(' ')
  const version = (name: string) => ({ name, reports: 1 })
  return sampleStatement({
    ...{ made_by: all, installation: all, log: all, release: all, unsigned_because: all, signed_by: all },
    asked: {
      ...asked,
      ...{ expected_log: all, report_id: all, public_keys_sha256: all },
      archive: { place: all, manifest: 1, manifest_sha256: all, key_id: all, manifest_time: all },
    },
    answer: {
      ...answer,
      ...{ is_proven: false, findings: hostileTexts.flatMap((text) => findingsOf(2, text)) },
      scorers: hostileTexts.map(version),
      policies: [...hostileTexts.map(version), { name: null, reports: 3 }],
    },
  })
}

export const auditSamples: Readonly<Record<string, () => AuditStatement>> = {
  'audit-proven': () => sampleStatement(),
  'audit-differs': differing,
  'audit-hostile': hostile,
}
