/** Finds imported blocks that a reorganisation has replaced at the node. */
import { followedSegments } from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import type { ChainNode } from './chain-node.js'

export interface Replaced {
  /** Heights of the segments that contain the replaced blocks. */
  readonly from: number
  readonly to: number
  /** The block at `to`. */
  readonly hashOfLedger: string
  readonly hashOfNode: string
  /** Hash of the block below `from`; null if it is not known. */
  readonly parentHash: string | null
  /** Kinds that the segments declare. */
  readonly covers: readonly string[]
}

/** Null if the last block of the highest segment is still in the chain of the node, or if the node does not have its height. */
export async function findReplaced(
  database: Queryable,
  node: ChainNode,
  headHeight: number,
): Promise<Replaced | null> {
  const segments = (await followedSegments(database, node.chain)).filter(({ to }) => to <= headHeight)
  const highest = segments.at(-1)
  if (highest === undefined) return null
  const hashOfNode = await node.hashAt(highest.to)
  if (hashOfNode === highest.lastHash) return null
  // If a block is in the chain, all blocks below it are.
  let [known, replaced] = [-1, segments.length - 1]
  while (replaced - known > 1) {
    const middle = Math.floor((known + replaced) / 2)
    if ((await node.hashAt(segments[middle]!.to)) === segments[middle]!.lastHash) known = middle
    else replaced = middle
  }
  const parts = segments.slice(replaced)
  const from = Math.min(...parts.map((one) => one.from))
  const below = segments[known]
  return {
    ...{ from, to: highest.to, hashOfLedger: highest.lastHash, hashOfNode },
    parentHash: below !== undefined && below.to === from - 1 ? below.lastHash : null,
    covers: [...new Set(parts.flatMap(({ covers }) => covers))],
  }
}

export const replacedMessage = (
  chain: string,
  { from, to, hashOfLedger, hashOfNode }: Pick<Replaced, 'from' | 'to' | 'hashOfLedger' | 'hashOfNode'>,
): string =>
  `a reorganisation of ${chain} deeper than the confirmations replaced blocks between ${from} and ${to}: block ${to} is ` +
  `${hashOfLedger} in the ledger and ${hashOfNode} at the node; check the node, then follow with --replace`
