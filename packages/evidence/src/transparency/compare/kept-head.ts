/** A tree whose leaves were compared with their records: a later comparison goes on behind it. It is no proof of what it says. */
import type { Tree } from '@cupel/signing'

export interface KeptHead {
  /**
   * The signed trees must extend it: it is grown by the leaves that follow, and must give their roots. So a head of another history is
   * found.
   */
  readonly tree: Tree
  /** How far the records of each partition were compared, by `topic/partition`. */
  readonly places: ReadonlyMap<string, KeptPlace>
}

export interface KeptPlace {
  /** The offset after the last record that was compared. */
  readonly next: number
  /** Index of the last leaf whose record agrees; null if none does. */
  readonly last: number | null
}
