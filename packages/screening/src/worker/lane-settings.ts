/** How the scorer reads each lane. */
import type { Lane } from '@cupel/contracts'

interface LaneSettings {
  readonly group: string
  readonly maxBatchRecords: number
  readonly maxConcurrentBatches: number
}

/** Bulk requests run in small batches, one at a time: a large batch would delay interactive requests on a shared event loop. */
export const laneSettings: Readonly<Record<Lane, LaneSettings>> = {
  interactive: { group: 'scorer.interactive.v1', maxBatchRecords: 256, maxConcurrentBatches: 2 },
  bulk: { group: 'scorer.bulk.v1', maxBatchRecords: 32, maxConcurrentBatches: 1 },
}

export const SCORER_GROUPS: readonly string[] = Object.values(laneSettings).map(({ group }) => group)
