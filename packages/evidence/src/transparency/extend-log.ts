/** Gives each new event a leaf, and signs the longer tree. A tree that does not extend the last signed one is never signed. */
import { turnsOnly, type Pauses } from '@cupel/kit/concurrency'
import type { Database } from '@cupel/postgres'
import { appendLeaf, leafHash, rootOf, UnsignedNoteError, type SigningKeys, type Tree } from '@cupel/signing'
import { openCheckpoint, originOf, signCheckpoint } from './format/checkpoint.js'
import { newLeaves, type LeafParts } from './new-leaves.js'
import { requireNotBehind } from './publish-files.js'
import { ensureLog, grow, loadPositions, type LockedLog, type NewLeaf, type Subtree } from './state.js'
import type { PublishedStore } from './store/published-store.js'
import { TransparencyStoppedError } from './transparency-stopped.js'

export interface ExtendParts extends LeafParts {
  readonly database: Database
  readonly keys: SigningKeys
  /** In which tiles are published. Their contents were signed. */
  readonly stores: readonly PublishedStore[]
}

export interface Extended {
  readonly leaves: number
  readonly hasMore: boolean
}

/** Returns `overtaken`, and signs nothing, if another writer was first. Throws TransparencyStoppedError. */
export async function extendLog(parts: ExtendParts): Promise<Extended | 'overtaken'> {
  const { log, database, keys, stores, pauses = turnsOnly() } = parts
  const identity = await log.identity()
  const stored = await ensureLog(database, identity)
  await requireNotBehind(database, stored, { stores, log: identity, keys })
  const { leaves, moves, hasMore } = await newLeaves(parts, await loadPositions(database, identity))
  if (moves.length === 0) return { leaves: 0, hasMore }
  const { tree, subtrees } = await longer(stored.tree, leaves, pauses)
  const origin = originOf(keys.signer.key, identity)
  const growth = { log: identity, moves, leaves, subtrees, pauses }
  const isFirst = await grow(database, stored, growth, (current) => {
    requireSigned(current, origin, keys)
    if (!sameTree(current.tree, stored.tree)) throw changedRows()
    return { tree, checkpoint: signCheckpoint(origin, tree, keys.signer) }
  })
  return isFirst ? { leaves: leaves.length, hasMore } : 'overtaken'
}

/** The tree with further leaves, and the roots of its new full subtrees. */
export async function longer(
  before: Tree,
  leaves: readonly NewLeaf[],
  pauses: Pauses = turnsOnly(),
): Promise<{ tree: Tree; subtrees: Subtree[] }> {
  let tree = before
  const subtrees: Subtree[] = []
  for (const { entry } of leaves) {
    const size = tree.size + 1
    tree = appendLeaf(tree, leafHash(Buffer.from(entry)), (hash, level) =>
      subtrees.push({ level, index: size / 256 ** level - 1, hash }),
    )
    await pauses.next()
  }
  return { tree, subtrees }
}

/** Checks that the tree of the rows is that of the last checkpoint. Throws TransparencyStoppedError. */
function requireSigned({ tree, checkpoint }: LockedLog, origin: string, { verifier }: SigningKeys): void {
  if (checkpoint === null && tree.size === 0) return
  try {
    const opened = checkpoint === null ? null : openCheckpoint(checkpoint, verifier)
    if (opened?.origin === origin && opened.size === tree.size && opened.root.equals(rootOf(tree))) return
  } catch (error) {
    if (!(error instanceof UnsignedNoteError)) throw error
  }
  throw changedRows()
}

const sameTree = (one: Tree, other: Tree): boolean =>
  one.size === other.size && rootOf(one).equals(rootOf(other))

const changedRows = (): TransparencyStoppedError =>
  new TransparencyStoppedError(
    'The rows of the transparency log in the database are not those of its last signed checkpoint: restore the database.',
  )
