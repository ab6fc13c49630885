/** Reads a record of exposure for a report: what was examined, and whether that is enough for green. */
import type { ExposureMeasure, ExposureRecord, Report } from '@cupel/contracts'
import type { ChainReading } from '../chain-facts/read-chain-facts.js'
import { falsifyCompleteness } from '../exposure/completeness.js'
import { greenDoubts } from '../risk/green-doubts.js'
import type { HistoryFault } from '../exposure/history.js'
import type { ChainKnowledge } from '../risk/level.js'
import type { CompiledPolicy } from '../risk/policy.js'
import { shownBreakdown } from './exposure-breakdown.js'

export interface ExposureReading {
  readonly measures: readonly ExposureMeasure[]
  readonly breakdown: Report['exposure']
  readonly coverage: Report['coverage']['exposure']
  readonly prices: Report['coverage']['prices']
  readonly knowledge: ChainKnowledge
  /** A part that might have raised the score was not examined. */
  readonly isLowerBound: boolean
  /** The ledger should have been examined, and the stage was late or failed. */
  readonly isDropped: boolean
}

/** Why the exposure is not known. */
export const exposureGaps = ['not_configured', 'no_transfers', 'late', 'failed'] as const
export type ExposureGap = (typeof exposureGaps)[number]

/** Hops that a search without findings must cover before it counts. */
const LEAST_HOPS = 2

/** A provider knows value or transactions that the ledger does not have. */
const KNOWN_TO_BE_MISSING: ReadonlySet<string> = new Set(['balance_mismatch', 'count_mismatch'])

/** Reads a record together with what providers say of the address on `chain`; null where no ledger was queried. */
export function readExposure(
  chain: string,
  recorded: ExposureRecord | null,
  chainReading: ChainReading,
  policy: CompiledPolicy,
): ExposureReading {
  const exposure = recorded === null ? null : falsifyCompleteness(chain, recorded, chainReading)
  const isDropped = exposure?.status === 'late' || exposure?.status === 'failed'
  const isUnknown = exposure?.status === 'absent' && !exposure.historyComplete
  if (exposure === null || isDropped || isUnknown)
    return {
      measures: [],
      breakdown: [],
      coverage: nothingExamined(exposure),
      prices: null,
      knowledge: knowledgeOfProviders(chainReading),
      isLowerBound: isDropped || (exposure?.incomplete ?? []).some((reason) => KNOWN_TO_BE_MISSING.has(reason)),
      isDropped,
    }
  const isPartial = isPartialRecord(exposure, chainReading)
  const incomplete = [...exposure.incomplete]
  return {
    measures: exposure.measures,
    breakdown: shownBreakdown(exposure),
    coverage: {
      status: isPartial ? 'partial' : 'complete',
      reason: null,
      incomplete,
      hops_searched: exposure.hopsSearched,
      transfers_examined: exposure.transfersExamined,
      truncated: exposure.truncated,
      ...shownHistories(exposure),
    },
    prices: exposure.priceTableSha256 === '' ? null : { version: exposure.priceTableSha256 },
    knowledge: {
      status: 'examined',
      isPartial,
      // Whoever measured it had no other words.
      incomplete: incomplete as HistoryFault[],
      hasHistory: exposure.ownTransfers > 0,
      doubts: greenDoubts(chain, exposure, policy),
    },
    // What is missing of a history can only add points.
    isLowerBound: exposure.truncated || incomplete.length > 0,
    isDropped: false,
  }
}

/** A stage that came too late must not look like an installation without a ledger. */
function nothingExamined(exposure: ExposureRecord | null): ExposureReading['coverage'] {
  const reason = gapOf(exposure)
  return {
    status: 'unavailable',
    reason,
    incomplete: [...(exposure?.incomplete ?? [])],
    hops_searched: 0,
    transfers_examined: 0,
    truncated: false,
    ...(exposure === null ? {} : shownHistories(exposure)),
  }
}

/** Which providers the transfers of the address rest on; nothing where none was asked. */
function shownHistories({
  histories,
}: ExposureRecord): Pick<Report['coverage']['exposure'], 'histories'> {
  if (histories.length === 0) return {}
  return {
    histories: histories.map(({ address, provider, height, at, kinds, incomplete }) => ({
      ...{ address, provider, height, as_of: at, kinds: [...kinds], incomplete: [...incomplete] },
    })),
  }
}

function gapOf(exposure: ExposureRecord | null): ExposureGap {
  if (exposure === null) return 'not_configured'
  return exposure.status === 'late' || exposure.status === 'failed' ? exposure.status : 'no_transfers'
}

/** Where a provider that was asked did not answer, or contradicts another, its facts cannot confirm the ledger. */
function isPartialRecord(exposure: ExposureRecord, { isFaulted }: ChainReading): boolean {
  return (
    exposure.truncated ||
    !exposure.historyComplete ||
    exposure.incomplete.length > 0 ||
    exposure.hopsSearched < LEAST_HOPS ||
    isFaulted
  )
}

/** A provider reports a state, not the origin of the value, so its answer never completes the knowledge of the chain. */
function knowledgeOfProviders({ coverage, txCount, txCountKind }: ChainReading): ChainKnowledge {
  if (coverage.status === 'unavailable') return { status: 'unavailable' }
  const isWithoutHistory = txCountKind === 'total' && txCount === 0
  return { status: 'examined', isPartial: true, incomplete: [], hasHistory: !isWithoutHistory, doubts: [] }
}
