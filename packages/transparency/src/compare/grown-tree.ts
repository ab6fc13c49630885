/** A tree that is made again of the leaves that a source has, and is compared with what was signed. */
import { appendLeaf, EMPTY_TREE, leafHash, rootOf, type Tree } from '@cupel/signing'
import { HASH_BYTES } from '../format/leaf.js'
import { TILE_WIDTH } from '../format/tiles.js'
import type { StoredLeaf } from './stored-leaves.js'

export interface GrownTree {
  add(leaves: readonly (StoredLeaf | null)[]): void
  /** Hash of a level, 0 for leaves; undefined where the tree has none, or where a leaf before it is gone. */
  hashOf(level: number, index: number): Buffer | undefined
  /** Null where a leaf is gone, or where no root was noted at this size. */
  rootAt(size: number): Buffer | null
  /** Leaves of the tree, up to the first that is gone. */
  size(): number
  /** Roots of the full subtrees, by level; none of level 0. */
  subtrees(): ReadonlyMap<number, readonly Buffer[]>
  /** Peaks of the whole tree, one behind the other; null where a leaf is gone. */
  peaks(): Buffer | null
}

/** Of at most `size` leaves; `sizes`: where roots are noted. The hashes take 32 bytes a leaf. */
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

/** Name of the subtree of a hash, in leaves: `512 to 767`. */
export function leavesBelow(level: number, index: number): string {
  const width = TILE_WIDTH ** level
  return `${index * width} to ${(index + 1) * width - 1}`
}
