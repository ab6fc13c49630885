/** What a follower is told, and what it tells. */
import type { Follower, LedgerImportSummary } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import type { ChainNode } from './chain-node.js'

export interface FollowOptions {
  readonly node: ChainNode
  /** Where files are written. */
  readonly folder: string
  /** Whether files stay there after their import. */
  readonly keepsFiles: boolean
  /** Author of the imports. */
  readonly importedBy: string
  /** First height; absent: behind the highest declared one. */
  readonly from?: number | undefined
  /** Last height; absent: follows for ever. */
  readonly to?: number | undefined
  /** Blocks above one that is imported. */
  readonly confirmations: number
  /** Most blocks of a segment. */
  readonly segmentBlocks: number
  /** Longest wait for a whole segment at the end of the chain, in seconds; then a smaller one is imported. */
  readonly everyS: number
  /** Imports blocks again that a reorganisation replaced. */
  readonly replaces?: boolean
  readonly batchBlocks: number
  readonly inFlight: number
  /** A newest block that is older means that the node is behind; in seconds. */
  readonly maxHeadAgeS: number
  readonly pollMs?: number
  readonly retryMs?: number
}

export interface FollowDeps {
  /** A database without a limit per statement. */
  readonly database: Database
  readonly signal: AbortSignal
  readonly now?: () => Date
  /** Called whenever the state changes, and every few seconds. */
  readonly onState?: (state: Follower) => void
  readonly onSegment?: (imported: FollowProgress) => void
  /** Remarks for the operator, in sentences. */
  readonly note?: (sentence: string) => void
}

export interface FollowProgress {
  readonly summary: LedgerImportSummary
  readonly from: number
  readonly to: number
  /** Since the start of the follower. */
  readonly blocksPerMinute: number
  /** Until the last height, or the newest confirmed block. */
  readonly remainingS: number
}
