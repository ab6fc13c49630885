/**
 * Level C: measures exposure and reads clusters again on the ledger, as of the states of ledger and labels that the report
 * names.
 */
import type { CandidateRecord, ExposureRecord, ReportGenerated } from '@cupel/contracts'
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
    const { chain, canonicalAddress, inputs } = one.data
    const again = (of: MeasuredChain): Promise<Measured> =>
      measureAgain(one, of, { ledgerSeq: recorded.ledgerSeq, prices }, database)
    const { exposure, cluster } = await again({ ...inputs, chain, canonicalAddress })
    const candidates: Measured[] = []
    for (const candidate of inputs.candidates) candidates.push(await again(candidate))
    return compared(
      {
        inputs: {
          exposure: recorded,
          cluster: inputs.cluster,
          candidates: inputs.candidates.map(measuredOf),
        },
      },
      { inputs: { exposure, cluster, candidates } },
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

/** What was measured of the address on one chain. */
type MeasuredChain = Pick<CandidateRecord, 'chain' | 'canonicalAddress' | 'exposure' | 'cluster'>
type Measured = Pick<MeasuredChain, 'exposure' | 'cluster'>

const measuredOf = ({ exposure, cluster }: MeasuredChain): Measured => ({ exposure, cluster })

/** What was not queried, or could not be read when the report was decided, has nothing to compare. */
async function measureAgain(
  { data, shared }: ReportWithShared,
  { chain, canonicalAddress: address, exposure, cluster }: MeasuredChain,
  state: { readonly ledgerSeq: number; readonly prices: PriceTable | null },
  database: Database,
): Promise<Measured> {
  if (exposure === null || exposure.status === 'late' || exposure.status === 'failed')
    return { exposure, cluster }
  const { generatedAt, inputs } = data
  const { labelSets } = shared.labelState
  const policy = compilePolicyText(shared.policyDocument)
  const labelsOf = (lookupKeys: readonly string[]) =>
    labelsByKeyAsOf(database, { lookupKeys, labelSetSeq: inputs.labelSetSeq })
  const asked = { chain, address, labelsOf, ...state }
  const measured = await examineAddress(database, { ...asked, policy, labelSets, generatedAt })
  if (cluster?.stopped === 'failed') return { exposure: measured, cluster }
  const maxAddresses = policy.document.cluster.addresses
  const facts = await readClusterFacts(database, { ...asked, maxAddresses })
  const context = { chain, labelSets, generatedAt, policy }
  return { exposure: measured, cluster: facts === null ? null : considerCluster(facts, context) }
}
