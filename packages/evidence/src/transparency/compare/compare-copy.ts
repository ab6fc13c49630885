/** Compares a further store of published files with the tree: a copy that was set back, or that lacks something, is found. */
import type { Verifier } from '@cupel/signing'
import { publishedNote } from '../published.js'
import type { PublishedStore } from '../store/published-store.js'
import { compareTiles } from './compare-files.js'
import type { Findings } from './findings.js'
import type { GrownTree } from './grown-tree.js'
import { requireSameLength, whenPublished } from './signed-trees.js'

interface Parts {
  readonly log: { identity(): Promise<string> }
  readonly verifier: Verifier
  /** How many leaves the copy must have. */
  readonly size: number
  /** The index after the last leaf whose files are compared. */
  readonly to: number
  readonly tree: GrownTree
  readonly publishGraceMs: number
  readonly looksForLoss?: boolean
  readonly findings: Findings
}

export async function compareCopy(store: PublishedStore, parts: Parts): Promise<void> {
  const { findings, tree } = parts
  const identity = await parts.log.identity()
  const read = async () => ({ note: await publishedNote(store) })
  const { note, files } = await whenPublished(read, () => parts.size, { ...parts, identity })
  if (typeof files === 'string') return findings.fault(`${store.place}/checkpoint: ${files}`)
  requireSameLength(store.place, { ...parts, note, files }, findings)
  if (files === null) return
  const signed = tree.rootAt(files.size)
  if (signed !== null && !signed.equals(files.root))
    findings.fault(`${store.place}/checkpoint is of another tree than the other files.`)
  await compareTiles(store, {
    from: tree.from,
    to: parts.to,
    size: files.size,
    hashOf: tree.hashOf,
    findings,
  })
}
