/** The documents that the tests of this package render, by name. */
import type { Report, ReportCase } from '@cupel/contracts'
import type { DossierText } from '../../src/document/case/dossier-document.js'
import { hostileTexts, sampleJobs, sampleReport, sampleReports } from '@cupel/testkit'
import {
  renderAudit,
  renderBulk,
  renderDossier,
  renderReport,
  renderWithCase,
} from '../../src/pdf/render-report.js'
import { brandOf } from '../../src/pdf/index.js'
import { auditSamples } from './audit-samples.js'

/** A case in which each hostile text is a note. */
function hostileCase(): ReportCase {
  const { report_id, address, chain } = sampleReport()
  const at = '2026-11-21T09:00:00.012Z'
  const by = { key_id: '8f2k1m0a', person: 'Dana' }
  const none = { disposition: null, previous_disposition: null, proposal_version: null }
  return {
    ...{ report_id, address, chain, level: 'red', score: 100, disposition: 'open', proposal: null },
    ...{ version: hostileTexts.length, needs_second_person: true, opened_at: at, changed_at: at },
    history: hostileTexts.map((text, index) => ({ version: index + 1, kind: 'note', at, by, text, ...none })),
  }
}

/** The longest text that is printed, in letters that do not break. */
const LEAF = {
  log: `cupel/${'installation-with-a-long-name-'.repeat(4)}/transparency/6f1d1c1e-0f0c-4c55-9a0e-8d3f6f1b2a77`,
  hash: '9c1185a5c5e9fc54612808977ee8f548b2258d31f2d7d6a1c8e0b3a4f5d6e7f8',
}

const LOGO = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10" fill="#1d4e89"/></svg>',
)

const TRANSFER: NonNullable<Report['transfer']> = {
  recommendation: 'reject',
  reasons: [
    { code: 'designated_counterparty', recommendation: 'reject' },
    { code: 'counterparty_red', recommendation: 'reject' },
  ],
  ...{ direction: 'incoming', own_address: '0x00000000219ab540356cBB839Cbe05303d7705Fa' },
  ...{ transaction_hash: `0x${'ab'.repeat(32)}`, planned: false },
  asset: { symbol: 'USDT', contract: '0xdac17f958d2ee523a2206206994597c13d831ec7', is_known: true },
  ...{ amount: '1250.5', amount_base_units: '1250500000', value_usd: '1250.6', priced_on: '2026-11-20' },
  funds: {
    ...{ direction: 'incoming', asset: 'USD', total: '4000 USD', total_complete: true },
    by_category: [
      { category: 'darknet', relation: 'direct', share: 0.25, amount: '312.625 USD' },
      { category: 'unattributed', relation: null, share: 0.75, amount: '937.875 USD' },
    ],
  },
  ledger: { status: 'seen', snapshot: '3' },
}

/** A dossier whose case has an assignee and files with hostile names, and further reports with decisions. */
function hostileDossier(): DossierText {
  const one = hostileCase()
  const { report_id } = one
  const at = '2026-11-21T10:00:00.012Z'
  const by = { key_id: '8f2k1m0a', person: null, key_name: 'Ann' }
  const none = { text: '', disposition: null, previous_disposition: null, proposal_version: null }
  const assignee = { key_id: '8f2k1m0a', person: 'Dana' }
  const sha256 = '9c1185a5c5e9fc54612808977ee8f548b2258d31f2d7d6a1c8e0b3a4f5d6e7f8'
  const files = hostileTexts.map((text, index) => ({
    ...{ version: one.history.length + 2 + index, kind: 'file_attached', at, by, ...none },
    file: {
      name: text.slice(0, 200),
      media_type: 'application/pdf',
      bytes: 12_345,
      sha256,
      content_sha256: sha256,
    },
  }))
  const assigned = {
    version: one.history.length + 1,
    kind: 'assigned',
    at,
    by,
    ...none,
    assignee,
    due_on: '2026-12-31',
  }
  const whole: ReportCase = {
    ...{ ...one, assignee, due_on: '2026-12-31', version: one.version + 1 + files.length },
    history: [...one.history, assigned, ...files],
  }
  const decided: ReportCase = {
    ...{ ...one, report_id: '0123456789abcdef', disposition: 'cleared' },
    history: [
      { version: 1, kind: 'disposition_changed', at, by, ...none, text: 'A refund', disposition: 'cleared' },
    ],
  }
  const { hostile, ...others } = sampleReports()
  return {
    ...{ case: whole, is_whole: false },
    reports: [
      { report: sampleReport({ report_id }), leaf: LEAF, case: whole },
      { report: hostile!, leaf: null, case: decided },
      ...Object.values(others).map((report) => ({ report, leaf: LEAF, case: null })),
    ],
  }
}

export const samples: Readonly<Record<string, () => Promise<Uint8Array>>> = Object.fromEntries([
  ...Object.entries(sampleReports()).map(([name, report]) => [
    name,
    () => renderReport(JSON.stringify(report)),
  ]),
  ...Object.entries(sampleJobs()).map(([name, job]) => [
    `bulk-${name}`,
    () => renderBulk(JSON.stringify(job)),
  ]),
  ...Object.entries(auditSamples).map(([name, statement]) => [
    name,
    () => renderAudit(JSON.stringify(statement())),
  ]),
  ['transfer', () => renderReport(JSON.stringify(sampleReport({ transfer: TRANSFER })))],
  ['brand', () => renderReport(JSON.stringify(sampleReport()), null, brandOf('Example Bank', LOGO))],
  ['leaf', () => renderReport(JSON.stringify(sampleReport()), LEAF)],
  [
    'case',
    () => renderWithCase(JSON.stringify([sampleReport(), hostileCase()].map((one) => JSON.stringify(one)))),
  ],
  ['dossier', () => renderDossier(JSON.stringify(hostileDossier()))],
])
