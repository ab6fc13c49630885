/** Adds newly appended records to the hash trees of the partitions. */
import type { Pauses } from '@cupel/concurrency'
import { type EventLog, LogStoppedError, type Place, placeOf } from '@cupel/event-log'
import { appendLeaf, EMPTY_TREE, rootOf, type Tree } from '@cupel/signing'
import { CheckpointsStoppedError } from './checkpoint-files.js'
import { leafPages } from './record-leaf.js'
import { nextOf, type PartitionState } from './state.js'
import type { Extension } from './statement.js'

/** A checkpoint covers at most about this many records; if there are more, the next one follows at once. */
export const MAX_CHECKPOINT_RECORDS = 100_000

export interface Extended {
  readonly extensions: readonly Extension[]
  readonly partitions: readonly PartitionState[]
  readonly records: number
  /** Whether records were left for the next checkpoint. */
  readonly hasMore: boolean
}

/** The records behind the given states. Throws CheckpointsStoppedError if the log is shorter than they are, or damaged. */
export async function extend(
  log: EventLog,
  places: readonly Place[],
  states: ReadonlyMap<string, PartitionState>,
  { maxRecords, pauses }: { readonly maxRecords: number; readonly pauses: Pauses },
): Promise<Extended> {
  const ends = await Promise.all(places.map(({ topic, partition }) => log.endOffset(topic, partition)))
  places.forEach((place, index) => {
    const state = states.get(placeOf(place))
    if (state !== undefined && ends[index]! < nextOf(state))
      throw shorterLog(place, ends[index]!, nextOf(state))
  })
  const extensions: Extension[] = []
  const partitions: PartitionState[] = []
  let left = maxRecords
  for (const [index, place] of places.entries()) {
    if (left === 0) return { extensions, partitions, records: maxRecords, hasMore: true }
    const end = ends[index]!
    const state = states.get(placeOf(place))
    // Most partitions of a new log are empty.
    if (state === undefined && end === 0) continue
    const from = state === undefined ? await log.startOffset(place.topic, place.partition) : nextOf(state)
    const to = Math.min(end, from + left)
    if (to <= from) continue
    left -= to - from
    const extended = await extendPartition(log, place, state, { from, to, pauses })
    extensions.push(extended.extension)
    partitions.push(extended.state)
  }
  return { extensions, partitions, records: maxRecords - left, hasMore: left === 0 }
}

async function extendPartition(
  log: EventLog,
  place: Place,
  state: PartitionState | undefined,
  { pauses, ...range }: { readonly from: number; readonly to: number; readonly pauses: Pauses },
): Promise<{ extension: Extension; state: PartitionState }> {
  let tree: Tree = state?.tree ?? EMPTY_TREE
  let lastLeaf: Buffer | undefined = state?.lastLeaf
  const subtrees: string[] = []
  try {
    for await (const leaves of leafPages(log, place, range, pauses))
      for (const leaf of leaves) {
        tree = appendLeaf(tree, leaf, (root, level) => {
          if (level === 1) subtrees.push(root.toString('base64'))
        })
        lastLeaf = leaf
        await pauses.next()
      }
  } catch (error) {
    if (!(error instanceof LogStoppedError)) throw error
    throw new CheckpointsStoppedError(
      `${error.message} Compare the log with its checkpoints: cupel audit verify.`,
      {
        cause: error,
      },
    )
  }
  const first = state?.first ?? range.from
  const { topic, partition } = place
  return {
    extension: { topic, partition, ...range, root: rootOf(tree).toString('base64'), subtrees },
    state: { topic, partition, first, tree, lastLeaf: lastLeaf! },
  }
}

export function shorterLog({ topic, partition }: Place, end: number, next: number): CheckpointsStoppedError {
  return new CheckpointsStoppedError(
    `${topic}/${partition} ends at offset ${end}, and its records up to ${next} were signed: the log was cut, or an older one was restored. Compare them (cupel audit verify) and restore the log, or accept the loss: cupel log accept-shorter --reason "…"`,
  )
}
