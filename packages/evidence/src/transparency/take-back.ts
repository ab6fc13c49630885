/**
 * Takes leaves back from the published files after an older database was restored. Signed leaves stay signed, and the next leaf comes
 * after them. Everything else in their rows follows from the records.
 */
import {
  rangeOf,
  type EventCodec,
  type EventLog,
  type LogRange,
  type LogRecord,
  type Place,
} from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { putCheckpoints } from '@cupel/projections'
import { rootOf, type SigningKeys, type Tree } from '@cupel/signing'
import { leavesOfFiles, type StoredLeaf } from './compare/stored-leaves.js'
import { longer } from './extend-log.js'
import { parseLeafEntry } from './format/leaf.js'
import { TILE_WIDTH } from './format/tiles.js'
import { documentDecoder, documentPartOf, type DocumentOf } from './leaf-of-record.js'
import { positionOf, recordFinder, type FindRecord } from './place-leaves.js'
import { longestPublished, storeOfLog } from './published.js'
import {
  ensureLog,
  loadPositions,
  lockLog,
  storeLeaves,
  storeTree,
  TRANSPARENCY_GROUP,
  type NewLeaf,
} from './state.js'
import type { PublishedStore } from './store/published-store.js'
import { TransparencyStoppedError } from './transparency-stopped.js'

export interface TakeBackParts {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly places: readonly Place[]
  readonly keys: SigningKeys
  /** In which tiles are published. */
  readonly stores: readonly PublishedStore[]
}

export interface TakenBack {
  readonly leaves: number
  /** Leaves whose records the log does not have. */
  readonly lost: number
}

/**
 * Makes the rows those of the longest published tree. Does nothing if the database has all of it. No writer may run. Throws
 * TransparencyStoppedError if the files are not whole, or belong to another history than the database.
 */
export async function takeBackLeaves(transaction: Queryable, parts: TakeBackParts): Promise<TakenBack> {
  const log = await parts.log.identity()
  const longest = await longestPublished({ ...parts, log })
  const { number } = await ensureLog(transaction, log)
  const { tree: before } = await lockLog(transaction, number)
  if (longest === null || longest.size <= before.size) return { leaves: 0, lost: 0 }
  const store = storeOfLog(longest.store, log)
  const positions = new Map(await loadPositions(transaction, log))
  const find = await finderBehind(parts, positions)
  const documentOf = documentDecoder(parts.codec)
  let [tree, lost]: [Tree, number] = [before, 0]
  const published = leavesOfFiles(store, longest.size)
  while (tree.size < longest.size) {
    const leaves: NewLeaf[] = []
    for (const stored of await published.read(tree.size, Math.min(longest.size, tree.size + TILE_WIDTH)))
      leaves.push(await leafOf(stored, tree.size + leaves.length, { find, place: store.place, documentOf }))
    const grown = await longer(tree, leaves)
    await storeLeaves(transaction, { number, from: tree.size, leaves, subtrees: grown.subtrees })
    lost += leaves.filter(({ record }) => record === null).length
    for (const { record } of leaves)
      if (record !== null) positions.set(`${record.topic}/${record.partition}`, record.offset + 1)
    tree = grown.tree
  }
  if (!rootOf(tree).equals(longest.root))
    throw new TransparencyStoppedError(
      `The leaves in ${store.place} and those of the database do not make the tree of its checkpoint: put the folder back from a copy, or restore another database.`,
    )
  await storeTree(transaction, { number, tree, checkpoint: longest.note })
  const next = parts.places.map(({ topic, partition }) => {
    return { topic, partition, next: positions.get(`${topic}/${partition}`) ?? 0 }
  })
  await putCheckpoints(transaction, { group: TRANSPARENCY_GROUP, log, positions: next })
  return { leaves: tree.size - before.size, lost }
}

async function finderBehind(
  { log, places }: TakeBackParts,
  positions: ReadonlyMap<string, number>,
): Promise<FindRecord> {
  const ranges = await Promise.all(
    places.map(async (place): Promise<LogRange> => {
      const { from, to } = await rangeOf(log, place)
      return { ...place, from: Math.max(from, positions.get(`${place.topic}/${place.partition}`) ?? 0), to }
    }),
  )
  return recordFinder(
    ranges.filter(({ from, to }) => from < to),
    (range) => recordsOf(log, range),
  )
}

async function* recordsOf(log: EventLog, range: LogRange): AsyncGenerator<LogRecord> {
  for await (const records of log.read(range)) yield* records
}

interface LeafContext {
  readonly find: FindRecord
  readonly place: string
  readonly documentOf: DocumentOf
}

async function leafOf(
  stored: StoredLeaf | null,
  index: number,
  { find, place, documentOf }: LeafContext,
): Promise<NewLeaf> {
  if (stored === null)
    throw new TransparencyStoppedError(
      `The tile of leaf ${index} in ${place} is gone or not whole: put it back, from a copy.`,
    )
  const { entry } = stored
  const leaf = parseLeafEntry(entry)
  if (leaf === null)
    throw new TransparencyStoppedError(`${place} holds something that is not a leaf: ${entry}`)
  const record = await find(leaf.recordHash)
  if (record === null) return { entry, record: null, documentId: null, salt: null }
  const { documentId = null, salt = null } = documentPartOf(record, documentOf) ?? {}
  return { entry, record: positionOf(record), documentId, salt }
}
