/** The documents that the tests of this package render, by name. */
import type { Report, ReportCase } from '@cupel/contracts'
import { hostileTexts, sampleJobs, sampleReport, sampleReports } from '@cupel/testkit'
import { renderAudit, renderBulk, renderReport, renderWithCase } from '../src/render-report.js'
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
  ['leaf', () => renderReport(JSON.stringify(sampleReport()), LEAF)],
  [
    'case',
    () => renderWithCase(JSON.stringify([sampleReport(), hostileCase()].map((one) => JSON.stringify(one)))),
  ],
])
