/** What a run of `audit verify --kept` went on from, and what it leaves for the next one. */
import { placeOf, type LogRange } from '@cupel/event-log'
import { rootOf } from '@cupel/signing'
import { problemAt, type Problem } from '../../proofs/index.js'
import type { KeptHead } from '../../transparency/index.js'
import { compareLeaves, joined, leafProblems, type ComparedLeaves } from './compared-leaves.js'
import type { Keeper } from './kept-verification.js'
import type { KeptRun, Verified } from './verified.js'

export interface ComparedAgain {
  readonly from: number
  readonly to: number
  readonly head: KeptHead | null
}

/** Compares a part of the old records again: somebody may have changed them after they were verified. */
export async function compareAgain(
  leaves: ComparedLeaves,
  keeper: Keeper,
  asked: Omit<Parameters<typeof compareLeaves>[0], 'since' | 'until'>,
): Promise<{ readonly leaves: ComparedLeaves; readonly again: ComparedAgain | null }> {
  const old = keeper.oldLeaves()
  if (old === null || leaves.comparison === null) return { leaves, again: null }
  const { since, until } = old
  const { comparison } = await compareLeaves({ ...asked, since, until })
  if (comparison === null) return { leaves, again: null }
  const both = joined(comparison, leaves.comparison)
  const again = { from: since?.tree.size ?? 0, to: comparison.leaves, head: comparison.reached }
  const faults = isOfKept(again.head, keeper) ? [] : [{ detail: OTHER_TREE, since: null }]
  return {
    leaves: {
      ...leaves,
      comparison: {
        ...both,
        records: leaves.comparison.records,
        faults: [...faults, ...both.faults],
        problemCount: both.problemCount + faults.length,
      },
    },
    again,
  }
}

const OTHER_TREE =
  'The old leaves do not make the tree that was verified before: leaves of rows and files were changed since.'

/** At the end of a round, all old leaves make the kept tree again. */
function isOfKept(head: KeptHead | null, { since }: Keeper): boolean {
  if (head === null || since === null || head.tree.size < since.head.size) return true
  const tree = { size: since.head.size, peaks: since.head.peaks.map((peak) => Buffer.from(peak, 'base64')) }
  return rootOf(head.tree).equals(rootOf(tree))
}

/** A log must not end before what was verified of it: nothing else asks for its last records once their leaves were compared. */
export function lostSince(
  { at, read, head }: NonNullable<Keeper['since']>,
  ranges: readonly LogRange[],
): Problem[] {
  const ends = new Map(ranges.map((range) => [placeOf(range), range.to]))
  const verified = new Map(read)
  for (const [place, next] of head.places) verified.set(place, Math.max(next, verified.get(place) ?? 0))
  return [...verified].flatMap(([place, next]) => {
    const end = ends.get(place) ?? 0
    const slash = place.lastIndexOf('/')
    const [topic, partition] = [place.slice(0, slash), Number(place.slice(slash + 1))]
    const detail = `The log ends at offset ${end}, and its records before offset ${next} were verified: the last ones were removed, or an older log was put there. If the loss was accepted, give --whole.`
    return end >= next ? [] : [problemAt('gap', { topic, partition, offset: end, since: at }, detail)]
  })
}

/** Keeps what was verified, if all of it was right. */
export function keptRunOf(keeper: Keeper, verified: Verified, again: ComparedAgain | null): KeptRun {
  const { since, resumed } = keeper
  const comparison = verified.leaves?.comparison ?? null
  if (
    verified.problemCount > 0 ||
    (again !== null && again.head === null) ||
    leafProblems(verified.leaves) > 0
  )
    keeper.fail()
  else keeper.finish({ head: comparison?.head ?? null, again: again?.head ?? null })
  return {
    since:
      since === null
        ? null
        : {
            ...{ leaves: since.head.size, verifiedAt: since.at },
            ...{ wholeAt: since.wholeAt, againAt: since.againAt },
          },
    resumed,
    comparedAgain: again === null ? null : { from: again.from, to: again.to },
    sha256: keeper.digest(),
  }
}
