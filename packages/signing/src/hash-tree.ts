/**
 * Hash trees of RFC 6962, section 2.1, with SHA-256. A growing tree is stored as the roots of its full subtrees. It takes
 * about log2(size) hashes of memory, and an append takes one hash on average.
 */
import { hash } from 'node:crypto'

/** A tree: its number of leaves, and the roots of its full subtrees from the largest (leftmost) to the smallest. */
export interface Tree {
  readonly size: number
  readonly peaks: readonly Buffer[]
}

export const EMPTY_TREE: Tree = { size: 0, peaks: [] }

/** Leaves of a full subtree of height 8, which C2SP tlog-tiles call a full tile. */
export const SUBTREE_LEAVES = 256
const SUBTREE_HEIGHT = 8

const LEAF_PREFIX = Buffer.of(0)
const NODE_PREFIX = Buffer.of(1)

/** SHA-256 of the parts, one after the other. As text from the digest to the bytes takes half of the time that a digest of its own memory takes. */
export const sha256 = (parts: readonly Uint8Array[]): Buffer =>
  Buffer.from(hash('sha256', Buffer.concat(parts), 'binary'), 'binary')

/** MTH({d}) of RFC 6962: 32 bytes. */
export function leafHash(data: Uint8Array): Buffer {
  return sha256([LEAF_PREFIX, data])
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256([NODE_PREFIX, left, right])
}

/**
 * The tree with one more leaf. `onSubtree` receives the root of each full subtree of SUBTREE_LEAVES leaves (level 1), of
 * SUBTREE_LEAVES ** 2 leaves (level 2) and so on when its last leaf is added.
 */
export function appendLeaf(
  tree: Tree,
  leaf: Buffer,
  onSubtree?: (root: Buffer, level: number) => void,
): Tree {
  const peaks = [...tree.peaks]
  let node = leaf
  // There is a peak of height h for each 1 in the binary size: an append adds one, and each carry joins two peaks.
  for (let height = 0, rest = tree.size; rest % 2 === 1; height += 1, rest = Math.floor(rest / 2)) {
    node = nodeHash(peaks.pop()!, node)
    if ((height + 1) % SUBTREE_HEIGHT === 0) onSubtree?.(node, (height + 1) / SUBTREE_HEIGHT)
  }
  peaks.push(node)
  return { size: tree.size + 1, peaks }
}

/** MTH of the leaves of the tree: 32 bytes; for an empty tree, the hash of the empty string. */
export function rootOf({ peaks }: Tree): Buffer {
  if (peaks.length === 0) return sha256([])
  return peaks.reduceRight((right, left) => nodeHash(left, right))
}

/** MTH of leaf hashes. */
export function treeRoot(leaves: readonly Buffer[]): Buffer {
  return rootOf(leaves.reduce<Tree>((tree, leaf) => appendLeaf(tree, leaf), EMPTY_TREE))
}

export interface WholeTree {
  readonly root: Buffer
  /** PATH(index, leaves), from the leaf up. Throws RangeError if there is no such leaf. */
  path(index: number): Buffer[]
}

/** The tree of at least one leaf, with every path in it. It takes one hash per leaf. */
export function wholeTree(leaves: readonly Buffer[]): WholeTree {
  if (leaves.length === 0) throw new RangeError('A tree without leaves has no paths')
  // Joining neighbours level by level gives the tree of RFC 6962: a node without a neighbour is the root of the rest, and moves up.
  const levels = [leaves]
  for (let level = leaves; level.length > 1; levels.push(level)) {
    const below = level
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, index) => {
      const [left, right] = [below[2 * index]!, below[2 * index + 1]]
      return right === undefined ? left : nodeHash(left, right)
    })
  }
  return {
    root: levels.at(-1)![0]!,
    path(index) {
      if (!(index in leaves)) throw new RangeError(`There is no leaf ${index} of ${leaves.length}`)
      return levels.flatMap((level, height) => level[Math.floor(index / 2 ** height) ^ 1] ?? [])
    },
  }
}

/** A position in a tree of `size` leaves, and the path from it to the root. */
export interface LeafPath {
  readonly leaf: Uint8Array
  readonly index: number
  readonly size: number
  readonly path: readonly Uint8Array[]
}

/** The root that the path leads to (RFC 9162, section 2.1.3.2); null if no tree of this size has such a path. */
export function rootOfPath({ leaf, index, size, path }: LeafPath): Buffer | null {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return null
  let [at, last] = [index, size - 1]
  let node: Uint8Array = leaf
  for (const sibling of path) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      node = nodeHash(sibling, node)
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
    } else node = nodeHash(node, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? Buffer.from(node) : null
}
