/** What a follower asks of a node, whatever its protocol. */
import type { HistoryKind } from '@cupel/domain'

export interface NodeHead {
  readonly height: number
  /** Seconds since 1970. */
  readonly atS: number
}

export interface NodeBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly atS: number
  /** Rows of the file, each with its line feed. */
  readonly text: string
}

/** Heights for whose blocks the node gives all transfers of the kinds. */
export interface Zone {
  readonly from: number
  readonly to: number
  readonly kinds: readonly HistoryKind[]
}

/** Every method rejects with a FollowError. */
export interface ChainNode {
  readonly chain: string
  /** Ledger format of the rows. */
  readonly format: string
  readonly extension: string
  /** First line of a file, without its line feed; null for JSON lines. */
  readonly heading: string | null
  /** Ascending, without a gap, from height 0 on. */
  readonly zones: readonly Zone[]
  /** What the node can and cannot give, in sentences. */
  readonly remarks: readonly string[]
  head(): Promise<NodeHead>
  hashAt(height: number): Promise<string>
  /** The blocks, in order; each is checked, and so is that each follows the one before it. */
  blocks(from: number, to: number): Promise<readonly NodeBlock[]>
  close(): Promise<void>
}

export const END_OF_CHAIN = Number.MAX_SAFE_INTEGER
