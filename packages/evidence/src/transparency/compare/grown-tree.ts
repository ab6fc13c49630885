/** A tree that is rebuilt from the leaves of a source and compared with the signed trees. */
import { appendLeaf, EMPTY_TREE, leafHash, rootOf, type Tree } from '@cupel/signing'
import { HASH_BYTES } from '../format/leaf.js'
import { TILE_WIDTH } from '../format/tiles.js'
import type { StoredLeaf } from './stored-leaves.js'

export interface GrownTree {
  /** Number of leaves that it began with: of these only the peaks are known. */
  readonly from: number
  add(leaves: readonly (StoredLeaf | null)[]): void
  /** Hash of a level, 0 for leaves; undefined if the tree has none, if it is of the first leaves, or if an earlier leaf is gone. */
  hashOf(level: number, index: number): Buffer | undefined
  /** Null if a leaf is gone, or if no root was stored at this size. */
  rootAt(size: number): Buffer | null
  /** Number of leaves of the tree, up to the first that is gone. */
  size(): number
  /** Roots of the full subtrees that it grew, by level, from the index `firstSubtree` on; none of level 0. */
  subtrees(): ReadonlyMap<number, readonly Buffer[]>
  /** Null if a leaf is gone. */
  whole(): Tree | null
}

/** For at most `size` leaves; `sizes`: the sizes at which roots are stored. The hashes take 32 bytes for each leaf after those of `begun`. */
export function growTree(size: number, sizes: readonly number[], begun: Tree = EMPTY_TREE): GrownTree {
  const from = begun.size
  let tree: Tree = begun
  let isWhole = true
  const roots = new Map<number, Buffer>(sizes.includes(from) ? [[from, rootOf(begun)]] : [])
  const hashes = Buffer.alloc(Math.max(0, size - from) * HASH_BYTES)
  const levels = new Map<number, Buffer[]>()
  return {
    from,
    add(leaves) {
      for (const leaf of leaves) {
        isWhole &&= leaf !== null
        if (!isWhole || leaf === null) return
        const hash = leafHash(Buffer.from(leaf.entry))
        hash.copy(hashes, (tree.size - from) * HASH_BYTES)
        tree = appendLeaf(tree, hash, (root, level) => {
          // A hash is a piece of memory that it shares: kept as it is, it would keep that of hundreds of others.
          const own = Buffer.alloc(HASH_BYTES, root)
          const known = levels.get(level)
          if (known === undefined) levels.set(level, [own])
          else known.push(own)
        })
        if (sizes.includes(tree.size)) roots.set(tree.size, rootOf(tree))
      }
    },
    hashOf(level, index) {
      if (level > 0) return levels.get(level)?.[index - firstSubtree(from, level)]
      const at = (index - from) * HASH_BYTES
      return index >= from && index < tree.size ? hashes.subarray(at, at + HASH_BYTES) : undefined
    },
    rootAt: (size) => roots.get(size) ?? null,
    size: () => tree.size,
    subtrees: () => levels,
    whole: () => (isWhole ? tree : null),
  }
}

/** Index of the first full subtree of a level that a tree of `from` leaves does not have yet. */
export const firstSubtree = (from: number, level: number): number => Math.floor(from / TILE_WIDTH ** level)

/** Name of a hash's subtree, in leaves: `512 to 767`. */
export function leavesBelow(level: number, index: number): string {
  const width = TILE_WIDTH ** level
  return `${index * width} to ${(index + 1) * width - 1}`
}
