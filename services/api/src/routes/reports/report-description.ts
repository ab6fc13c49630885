/** The report as the API description shows it. */
import { reportSchema, type Report } from '@cupel/contracts'

export const reportComponent = reportSchema.meta({ id: 'Report' })

/** An address of a sanctions list, as the ownership part of the judgement sees it. */
export const reportExample: Report = {
  report_id: '9f2c4a1be07d6358',
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  chain: 'ETH',
  livemode: true,
  customer_reference: null,
  risk: {
    level: 'red',
    score: 100,
    level_reasons: [],
    score_is_lower_bound: false,
    conflicts: [],
    categories: { sanctions: 100, darknet: 0, mixer: 0, scam: 0, stolen: 0, clean_exchange: 0 },
    evidence: [
      {
        category: 'sanctions',
        relation: 'ownership',
        direction: null,
        hops: 0,
        chain: 'ETH',
        address: null,
        entity: 'Lazarus Group',
        source: 'ofac_sdn',
        source_url: 'https://sanctionssearch.ofac.treas.gov/',
        origin: 'us-ofac',
        role: 'owner',
        confidence: 1,
        status: 'live',
        observed_at: '2026-08-20',
        value: null,
        share: null,
        path: [],
        contribution: 100,
        decisive: true,
        used: true,
        reason: null,
        pre_designation: null,
      },
    ],
    evidence_omitted: 0,
  },
  balance: null,
  balance_base_units: null,
  tx_count: null,
  tx_count_kind: null,
  balances: [],
  report_url: 'https://cupel.example.com/reports/9f2c4a1be07d6358',
  generated_at: '2026-11-21T09:00:00.000Z',
  coverage: {
    labels: { status: 'complete', as_of: '2026-11-21T06:00:00.000Z', sources: 17 },
    chain_data: { status: 'unavailable', source: null, height: null, as_of: null },
    exposure: { status: 'unavailable', hops_searched: 0, transfers_examined: 0, truncated: false },
  },
  policy: { id: 'default', version: 1 },
  scorer_version: '1.0.0',
  label_snapshot: '42',
}
