/**
 * Takes leaves back from the published files after an older database was restored. Signed leaves stay signed, and the next leaf comes
 * after them. Their salts are lost with the newer database, so that their reports get no new proofs.
 */
import { topicOf } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { putCheckpoints } from '@cupel/projections'
import { rootOf, type SigningKeys, type Tree } from '@cupel/signing'
import { longer } from './extend-log.js'
import { parseLeafEntry, type Leaf } from './format/leaf.js'
import { publishedCheckpoint, publishedEntries, transparencyFolder } from './published.js'
import type { PublishedCheckpoint } from './published.js'
import { reportReader, type ReportReader } from './report-of-leaf.js'
import { ensureLog, lockLog, storeLeaves, storeTree, TRANSPARENCY_GROUP, type NewLeaf } from './state.js'
import { TransparencyStoppedError } from './stopped.js'

export interface TakeBackParts {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly keys: SigningKeys
  /** Folders in which tiles are published. */
  readonly folders: readonly string[]
}

export interface TakenBack {
  readonly leaves: number
  /** Number of leaves of reports. */
  readonly reports: number
}

/**
 * Makes the rows those of the longest published tree. Does nothing if the database has all of it. No writer may run. Throws
 * TransparencyStoppedError if the files are not whole, or belong to another history than the database.
 */
export async function takeBackLeaves(transaction: Queryable, parts: TakeBackParts): Promise<TakenBack> {
  const log = await parts.log.identity()
  const longest = await longestPublished(parts, log)
  const { number } = await ensureLog(transaction, log)
  const { tree: before } = await lockLog(transaction, number)
  if (longest === null || longest.size <= before.size) return { leaves: 0, reports: 0 }
  const reader = reportReader(parts)
  const positions = new Map<string, Leaf>()
  let [tree, reports]: [Tree, number] = [before, 0]
  for await (const entries of publishedEntries(longest.folder, log, {
    from: before.size,
    size: longest.size,
  })) {
    const leaves = await leavesOf(entries, {
      reader,
      positions,
      folder: transparencyFolder(longest.folder, log),
    })
    const grown = await longer(tree, leaves)
    await storeLeaves(transaction, { number, from: tree.size, leaves, subtrees: grown.subtrees })
    reports += leaves.filter(({ reportId }) => reportId !== null).length
    tree = grown.tree
  }
  if (!rootOf(tree).equals(longest.root))
    throw new TransparencyStoppedError(
      `The leaves in ${transparencyFolder(longest.folder, log)} and those of the database do not make the tree of its checkpoint: put the folder back from a copy, or restore another database.`,
    )
  await storeTree(transaction, { number, tree, checkpoint: longest.note })
  const next = [...positions.values()].map(({ topic, partition, offset }) => ({
    topic,
    partition,
    next: offset + 1,
  }))
  await putCheckpoints(transaction, { group: TRANSPARENCY_GROUP, log, positions: next })
  return { leaves: tree.size - before.size, reports }
}

interface InFolder extends PublishedCheckpoint {
  readonly folder: string
}

async function longestPublished({ folders, keys }: TakeBackParts, log: string): Promise<InFolder | null> {
  let longest: InFolder | null = null
  for (const folder of folders) {
    const published = await publishedCheckpoint(folder, { log, keys })
    if (published !== null && published.size > (longest?.size ?? 0)) longest = { ...published, folder }
  }
  return longest
}

interface LeafContext {
  readonly reader: ReportReader
  /** The last leaf of each partition. */
  readonly positions: Map<string, Leaf>
  readonly folder: string
}

async function leavesOf(
  entries: readonly string[],
  { reader, positions, folder }: LeafContext,
): Promise<NewLeaf[]> {
  const leaves: NewLeaf[] = []
  for (const entry of entries) {
    const leaf = parseLeafEntry(entry)
    if (leaf === null)
      throw new TransparencyStoppedError(`${folder} holds something that is not a leaf: ${entry}`)
    positions.set(`${leaf.topic}/${leaf.partition}`, leaf)
    const isReport = leaf.topic === topicOf('ReportGenerated') && leaf.documentHash !== null
    leaves.push({ entry, seed: null, reportId: isReport ? await reader.reportIdOf(leaf) : null })
  }
  return leaves
}
