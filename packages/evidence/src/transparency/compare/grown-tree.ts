/** A tree that is rebuilt from the leaves of a source and compared with the signed trees. */
import { appendLeaf, EMPTY_TREE, leafHash, rootOf, type Tree } from '@cupel/signing'
import { HASH_BYTES } from '../format/leaf.js'
import { TILE_WIDTH } from '../format/tiles.js'
import type { StoredLeaf } from './stored-leaves.js'

export interface GrownTree {
  add(leaves: readonly (StoredLeaf | null)[]): void
  /** Hash of a level, 0 for leaves; undefined if the tree has none, or if an earlier leaf is gone. */
  hashOf(level: number, index: number): Buffer | undefined
  /** Null if a leaf is gone, or if no root was stored at this size. */
  rootAt(size: number): Buffer | null
  /** Number of leaves of the tree, up to the first that is gone. */
  size(): number
  /** Roots of the full subtrees, by level; none of level 0. */
  subtrees(): ReadonlyMap<number, readonly Buffer[]>
  /** Peaks of the whole tree, concatenated; null if a leaf is gone. */
  peaks(): Buffer | null
}

/** For at most `size` leaves; `sizes`: the sizes at which roots are stored. The hashes take 32 bytes a leaf. */
export function growTree(size: number, sizes: readonly number[]): GrownTree {
  let tree: Tree = EMPTY_TREE
  let isWhole = true
  const roots = new Map<number, Buffer>()
  const hashes = Buffer.alloc(size * HASH_BYTES)
  const levels = new Map<number, Buffer[]>()
  return {
    add(leaves) {
      for (const leaf of leaves) {
        isWhole &&= leaf !== null
        if (!isWhole || leaf === null) return
        const hash = leafHash(Buffer.from(leaf.entry))
        hash.copy(hashes, tree.size * HASH_BYTES)
        tree = appendLeaf(tree, hash, (root, level) => {
          const known = levels.get(level)
          if (known === undefined) levels.set(level, [root])
          else known.push(root)
        })
        if (sizes.includes(tree.size)) roots.set(tree.size, rootOf(tree))
      }
    },
    hashOf(level, index) {
      if (level > 0) return levels.get(level)?.[index]
      return index < tree.size ? hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES) : undefined
    },
    rootAt: (size) => roots.get(size) ?? null,
    size: () => tree.size,
    subtrees: () => levels,
    peaks: () => (isWhole ? Buffer.concat([...tree.peaks]) : null),
  }
}

/** Name of a hash's subtree, in leaves: `512 to 767`. */
export function leavesBelow(level: number, index: number): string {
  const width = TILE_WIDTH ** level
  return `${index * width} to ${(index + 1) * width - 1}`
}
