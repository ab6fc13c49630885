/** The heights that a follower still has to import: those of its zones that no range of the ledger declares. */
import { heightsDeclaredFor, type HeightRange } from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import type { ChainNode, Zone } from './chain-node.js'

export interface Undeclared {
  /** The first range at the height or above it, in one zone; its end may be beyond the chain. */
  next(height: number): Zone | null
  /** Where a follower goes on that was not told where to begin: behind the highest declared height, else 0. */
  readonly goOnAt: number
}

export async function readUndeclared(
  database: Queryable,
  { chain, zones }: Pick<ChainNode, 'chain' | 'zones'>,
): Promise<Undeclared> {
  const parts = await Promise.all(
    zones.map(async (zone) => ({ zone, declared: await heightsDeclaredFor(database, chain, zone.kinds) })),
  )
  // Every zone has the kinds of the first one.
  const highest = parts[0]!.declared.at(-1)?.to
  return {
    goOnAt: highest === undefined ? 0 : highest + 1,
    next(height) {
      for (const { zone, declared } of parts) {
        const found = gapIn(declared, Math.max(height, zone.from))
        if (found.from <= zone.to)
          return { from: found.from, to: Math.min(found.to, zone.to), kinds: zone.kinds }
      }
      return null
    },
  }
}

/** The first heights at the height or above it that are in none of the ascending ranges. */
function gapIn(ascending: readonly HeightRange[], height: number): HeightRange {
  let from = height
  for (const range of ascending) {
    if (range.from > from) return { from, to: range.from - 1 }
    from = Math.max(from, range.to + 1)
  }
  return { from, to: Infinity }
}
