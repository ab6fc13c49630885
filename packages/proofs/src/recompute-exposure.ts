/**
 * Level C: measures exposure and reads clusters again on the ledger, as of the states of ledger and labels that the report
 * names.
 */
import type { ClusterRecord, ExposureRecord, ReportGenerated } from '@cupel/contracts'
import { compilePolicyText, considerCluster, type PriceTable } from '@cupel/domain'
import { examineAddress, listSegments, readClusterFacts, readPriceTable } from '@cupel/ledger'
import { isUnavailable, type Database } from '@cupel/postgres'
import { labelsByKeyAsOf } from './labels-as-of.js'
import type { ReportWithShared } from './recompute-labels.js'
import { compared, failed, nothingRecorded, type Verdict } from './verdict.js'

/** One verdict for each report, in order. The ledger is queried only where a report used it. */
export async function measureExposureAgain(
  reports: readonly ReportWithShared[],
  database: Database,
): Promise<readonly Verdict[]> {
  if (!reports.some(({ data }) => usedLedger(data))) return reports.map(() => nothingRecorded)
  const segments = await readSegments(database)
  const verdicts: Verdict[] = []
  for (const one of reports) verdicts.push(await measuredAgain(one, database, segments))
  return verdicts
}

/** False if no ledger was queried or its stage was dropped. */
function usedLedger({ inputs: { exposure } }: ReportGenerated): boolean {
  return exposure !== null && (exposure.status === 'examined' || exposure.status === 'absent')
}

/** Sequence numbers of the segments in the ledger. */
async function readSegments(database: Database): Promise<ReadonlySet<number>> {
  const segments = await listSegments(database)
  return new Set(segments.flatMap(({ ledgerSeq }) => (ledgerSeq === null ? [] : [ledgerSeq])))
}

async function measuredAgain(
  one: ReportWithShared,
  database: Database,
  segments: ReadonlySet<number>,
): Promise<Verdict> {
  if (!usedLedger(one.data)) return nothingRecorded
  const recorded = one.data.inputs.exposure as ExposureRecord
  const missing = Array.from({ length: recorded.ledgerSeq }, (_, index) => index + 1).filter(
    (seq) => !segments.has(seq),
  )
  if (missing.length > 0) return { status: 'not-derivable', paths: [], reason: reasonOf(missing, recorded) }
  try {
    const { priceTableSha256 } = recorded
    const prices = priceTableSha256 === '' ? null : await readPriceTable(database, priceTableSha256)
    if (prices === null && priceTableSha256 !== '') return withoutPrices(priceTableSha256)
    const exposure = await examineAgain(one, { ledgerSeq: recorded.ledgerSeq, prices }, database)
    const cluster = await readClusterAgain(one, recorded, database)
    return compared(
      { inputs: { exposure: recorded, cluster: one.data.inputs.cluster } },
      { inputs: { exposure, cluster } },
    )
  } catch (error) {
    if (isUnavailable(error)) throw error
    return failed(error)
  }
}

const reasonOf = (missing: readonly number[], { ledgerSeq }: ExposureRecord): string =>
  `The ledger no longer contains segment ${missing[0]}${missing.length > 1 ? ` and ${missing.length - 1} more` : ''} of the ${ledgerSeq} that the report used; LedgerSegmentImported names their files.`

const withoutPrices = (sha256: string): Verdict => ({
  status: 'not-derivable',
  paths: [],
  reason: `The table of prices ${sha256} is not in the ledger; PriceTableImported names its file.`,
})

async function examineAgain(
  { data, shared }: ReportWithShared,
  state: { readonly ledgerSeq: number; readonly prices: PriceTable | null },
  database: Database,
): Promise<ExposureRecord> {
  return await examineAddress(database, {
    chain: data.chain,
    address: data.canonicalAddress,
    ...state,
    policy: compilePolicyText(shared.policyDocument),
    labelSets: shared.labelState.labelSets,
    generatedAt: data.generatedAt,
    labelsOf: (lookupKeys) => labelsByKeyAsOf(database, { lookupKeys, labelSetSeq: data.inputs.labelSetSeq }),
  })
}

/** If a cluster could not be read when the report was decided, there is nothing to compare. */
async function readClusterAgain(
  { data, shared }: ReportWithShared,
  { ledgerSeq }: ExposureRecord,
  database: Database,
): Promise<ClusterRecord | null> {
  if (data.inputs.cluster?.stopped === 'failed') return data.inputs.cluster
  const policy = compilePolicyText(shared.policyDocument)
  const { chain, generatedAt } = data
  const facts = await readClusterFacts(database, {
    ...{ chain, address: data.canonicalAddress, ledgerSeq, maxAddresses: policy.document.cluster.addresses },
    labelsOf: (lookupKeys) => labelsByKeyAsOf(database, { lookupKeys, labelSetSeq: data.inputs.labelSetSeq }),
  })
  const { labelSets } = shared.labelState
  return facts === null ? null : considerCluster(facts, { chain, labelSets, generatedAt, policy })
}
