/** Reports with hostile text in every field that third parties, or later versions, write. */
import type { Evidence, Report } from '@cupel/contracts'
import { hostileStrings } from './hostile-strings.js'
import { sampleEvidence, sampleExposureEvidence, sampleReport } from './sample-reports.js'

const EVIDENCE_PER_REPORT = 40
const STRINGS_PER_EVIDENCE = 12
const STRINGS_PER_REPORT = EVIDENCE_PER_REPORT * STRINGS_PER_EVIDENCE + 14

export interface HostileReport {
  readonly report: Report
  /** The strings in the report, each in one field that a document shows whole. */
  readonly strings: readonly string[]
}

/** At least `count` strings. Each report takes as many as it has free fields. */
export function hostileReports(count: number, seed: number): readonly HostileReport[] {
  const reports = Math.ceil(count / STRINGS_PER_REPORT)
  const strings = hostileStrings(reports * STRINGS_PER_REPORT, seed)
  return Array.from({ length: reports }, (_, index) =>
    hostileReport(strings.slice(index * STRINGS_PER_REPORT, (index + 1) * STRINGS_PER_REPORT)),
  )
}

function hostileReport(strings: readonly string[]): HostileReport {
  const rest = [...strings]
  const next = (): string => rest.shift()!
  const evidence = Array.from({ length: EVIDENCE_PER_REPORT }, () => hostileEvidence(next))
  const base = sampleReport()
  const { coverage, risk } = base
  const report: Report = {
    ...base,
    customer_reference: next(),
    risk: { ...risk, evidence, level_reasons: [next(), next()] },
    balance: next(),
    cluster: { id: next(), size: 2, heuristic: '', as_of: '', stopped: null },
    policy: { id: next(), version: 1 },
    scorer_version: next(),
    label_snapshot: next(),
    coverage: {
      ...coverage,
      not_examined: [next()],
      chain_data: {
        ...coverage.chain_data,
        source: next(),
        faults: [{ source: next(), error: next() }],
      },
      labels: {
        ...coverage.labels,
        missing: [next()],
        lists: [{ ...coverage.labels.lists[0]!, source: next(), dataset: 'list' }],
      },
    },
  }
  return { report, strings }
}

function hostileEvidence(next: () => string): Evidence {
  const { sanction } = sampleEvidence()
  return sampleExposureEvidence({
    ...{ entity: next(), source: next(), origin: next(), role: next(), source_url: next(), address: next() },
    sanction: { ...sanction!, list: next(), programmes: [next()], aliases: [next()], entity_id: next() },
    counterparties: [
      {
        ...{ address: next(), entity: '', source: next(), source_url: '' },
        ...{ value: '1.5 ETH', value_usd: '1.000000', transfers: 1 },
      },
    ],
    counterparties_omitted: null,
    path: [],
    pre_designation: null,
  })
}
