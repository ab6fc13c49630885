/** Reads a record of exposure for a report: what was examined, and whether that is enough for green. */
import type { ExposureMeasure, ExposureRecord, Report } from '@cupel/contracts'
import type { ChainReading } from '../chain-facts/read-chain-facts.js'
import type { ChainKnowledge } from '../risk/level.js'

export interface ExposureReading {
  readonly measures: readonly ExposureMeasure[]
  readonly coverage: Report['coverage']['exposure']
  readonly knowledge: ChainKnowledge
  /** A part that might have raised the score was not examined. */
  readonly isLowerBound: boolean
}

/** Hops that a search without findings must cover before it counts. */
const LEAST_HOPS = 2

const nothingExamined: Report['coverage']['exposure'] = {
  status: 'unavailable',
  reason: null,
  incomplete: [],
  hops_searched: 0,
  transfers_examined: 0,
  truncated: false,
}

/** Reads a record; null where no ledger was queried. */
export function readExposure(exposure: ExposureRecord | null, chainReading: ChainReading): ExposureReading {
  const isFaulted = exposure?.status === 'late' || exposure?.status === 'failed'
  const isAbsent = exposure?.status === 'absent' && !exposure.historyComplete
  if (exposure === null || isFaulted || isAbsent)
    return {
      measures: [],
      coverage: nothingExamined,
      knowledge: knowledgeOfProviders(chainReading),
      isLowerBound: isFaulted,
    }
  const isPartial = isPartialRecord(exposure, chainReading)
  return {
    measures: exposure.measures,
    coverage: {
      status: isPartial ? 'partial' : 'complete',
      reason: null,
      incomplete: [...exposure.incomplete],
      hops_searched: exposure.hopsSearched,
      transfers_examined: exposure.transfersExamined,
      truncated: exposure.truncated,
    },
    knowledge: { status: 'examined', isPartial, hasHistory: exposure.ownTransfers > 0 },
    isLowerBound: exposure.truncated,
  }
}

/** A ledger declared complete without any transfer of an address that a provider has seen is not complete. */
function isPartialRecord(exposure: ExposureRecord, { txCount }: ChainReading): boolean {
  return (
    exposure.truncated ||
    !exposure.historyComplete ||
    exposure.hopsSearched < LEAST_HOPS ||
    (exposure.ownTransfers === 0 && txCount !== null && txCount > 0)
  )
}

/** A provider reports a state, not the origin of the value, so its answer never completes the knowledge of the chain. */
function knowledgeOfProviders({ coverage, txCount, txCountKind }: ChainReading): ChainKnowledge {
  if (coverage.status === 'unavailable') return { status: 'unavailable' }
  const isWithoutHistory = txCountKind === 'total' && txCount === 0
  return { status: 'examined', isPartial: true, hasHistory: !isWithoutHistory }
}
