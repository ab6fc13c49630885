/**
 * Reads what the ledger of a past moment states about an address, and how it may be interpreted. Providers of chain data cannot be queried
 * about the past, and could have contradicted the ledger.
 */
import type { ExposureRecord } from '@cupel/contracts'
import {
  chainFactsOf,
  emptyExposure,
  isExaminedInDemo,
  type ClusterFacts,
  type LabelSetFacts,
} from '@cupel/domain'
import {
  examineAddress,
  hasSegmentsUpTo,
  mayHaveProvider,
  readClusterFacts,
  readPriceTable,
  type Pace,
} from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import { labelsByKeyAsOf } from '../labels-as-of.js'
import type { PastState } from './past-state.js'

export interface PastFindings {
  readonly exposure: ExposureRecord | null
  /** Null for an address that never spent together with another one. */
  readonly cluster: ClusterFacts | null
}

export interface PastLook {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  readonly state: PastState
  readonly labelSets: readonly LabelSetFacts[]
  /** Decides when the work pauses; ends it by throwing. */
  readonly pace: Pace
}

/** Value of `coverage.exposure.incomplete`: a provider may have contradicted the ledger, and cannot be queried about the past. */
export const CHAIN_DATA_LEFT_OUT = 'chain_data_left_out'

/**
 * Every reading of the ledger that the answers of providers may have led to; the decision that is worst for the address counts. If no
 * provider was ever configured for the chain, the ledger as it was is the only reading.
 */
export async function readPastLedger(database: Queryable, look: PastLook): Promise<readonly PastFindings[]> {
  const found = await findInLedger(database, look)
  const { exposure, cluster } = found
  if (exposure === null || !exposure.historyComplete) return [found]
  if (!(await mayHaveProvider(database, look.chain))) return [found]
  const unconfirmed = { ...exposure, incomplete: [...exposure.incomplete, CHAIN_DATA_LEFT_OUT] }
  return [
    { exposure: unconfirmed, cluster },
    { exposure: withoutTotals(unconfirmed), cluster },
  ]
}

/** As if a provider contradicts the ledger: then no total holds. */
const withoutTotals = (exposure: ExposureRecord): ExposureRecord => ({
  ...exposure,
  historyComplete: false,
  measures: exposure.measures.map((one) => ({ ...one, totalComplete: false })),
  breakdown: exposure.breakdown.map((one) => ({ ...one, totalComplete: false })),
})

async function findInLedger(
  database: Queryable,
  { chain, address, state, labelSets, pace }: PastLook,
): Promise<PastFindings> {
  const { ledgerSeq, policy, labelSetSeq, pricesSha256, asOf: generatedAt } = state
  if (ledgerSeq === 0 && !isExaminedInDemo({ chain, address, labelSets }))
    return { exposure: null, cluster: null }
  const prices = pricesSha256 === null ? null : await readPriceTable(database, pricesSha256)
  const isWhole = await hasSegmentsUpTo(database, ledgerSeq)
  if (!isWhole || (prices === null && pricesSha256 !== null))
    return {
      exposure: emptyExposure('failed', { ledgerSeq, policy, error: 'LedgerNotWhole' }),
      cluster: unreadCluster(chain, ledgerSeq),
    }
  const labelsOf = (lookupKeys: readonly string[]) => labelsByKeyAsOf(database, { lookupKeys, labelSetSeq })
  const asked = { chain, address, ledgerSeq, labelsOf }
  const [exposure, cluster] = await Promise.all([
    examineAddress(database, { ...asked, prices, policy, labelSets, generatedAt }, { pace }),
    readClusterFacts(database, { ...asked, maxAddresses: policy.document.cluster.addresses }),
  ])
  return { exposure, cluster }
}

const unreadCluster = (chain: string, ledgerSeq: number): ClusterFacts | null =>
  chainFactsOf(chain)?.spendsTogether === true
    ? { clusterId: '', size: 0, ledgerSeq, stopped: 'failed', labels: [] }
    : null
