import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  appendLeaf,
  EMPTY_TREE,
  leafHash,
  nodeHash,
  rootOf,
  rootOfPath,
  SUBTREE_LEAVES,
  treeRoot,
  wholeTree,
  type Tree,
} from './hash-tree.js'

// The tree of the reference implementations of RFC 6962 (google/certificate-transparency, merkle_tree_test.cc).
const entries = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const leaves = entries.map((entry) => leafHash(Buffer.from(entry, 'hex')))

test('the roots are those of the reference implementations', () => {
  expect(rootOf(EMPTY_TREE).toString('hex')).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  const grown = leaves.map((_, last) => treeRoot(leaves.slice(0, last + 1)).toString('hex'))
  expect(grown).toEqual(roots)
})

/** Whether the path leads from the leaf to this root. */
const isIncluded = ({
  root,
  ...path
}: Parameters<typeof rootOfPath>[0] & { readonly root: Buffer }): boolean =>
  rootOfPath(path)?.equals(root) ?? false

/** MTH as RFC 6962 defines it: recursive, from all leaves. */
function defined(hashes: readonly Buffer[]): Buffer {
  if (hashes.length < 2) return hashes[0] ?? rootOf(EMPTY_TREE)
  let split = 1
  while (split * 2 < hashes.length) split *= 2
  return nodeHash(defined(hashes.slice(0, split)), defined(hashes.slice(split)))
}

const someLeaves = fc
  .nat({ max: 700 })
  .map((count) => Array.from({ length: count }, (_, i) => leafHash(Buffer.of(i >> 8, i & 255))))

test('a tree that grows has the root of the definition at every size, and names its full subtrees', () => {
  fc.assert(
    fc.property(someLeaves, (hashes) => {
      const subtrees: Buffer[] = []
      const tree = hashes.reduce<Tree>(
        (grown, leaf) => appendLeaf(grown, leaf, (root) => subtrees.push(root)),
        EMPTY_TREE,
      )
      expect(tree.size).toBe(hashes.length)
      expect(rootOf(tree)).toEqual(defined(hashes))
      const full = Math.floor(hashes.length / SUBTREE_LEAVES)
      expect(subtrees).toEqual(
        Array.from({ length: full }, (_, i) =>
          defined(hashes.slice(i * SUBTREE_LEAVES, (i + 1) * SUBTREE_LEAVES)),
        ),
      )
    }),
    { numRuns: 20 },
  )
})

test('a path proves its leaf at its place, and nothing else', () => {
  const cases = fc
    .integer({ min: 1, max: 70 })
    .chain((size) =>
      fc.record({ size: fc.constant(size), index: fc.nat({ max: size - 1 }), flip: fc.nat({ max: 255 }) }),
    )
  fc.assert(
    fc.property(cases, ({ size, index, flip }) => {
      const hashes = Array.from({ length: size }, (_, i) => leafHash(Buffer.of(i)))
      const proof = {
        leaf: hashes[index]!,
        index,
        size,
        path: wholeTree(hashes).path(index),
        root: defined(hashes),
      }
      expect(isIncluded(proof)).toBe(true)
      expect(isIncluded({ ...proof, leaf: leafHash(Buffer.of(99, 99)) })).toBe(false)
      expect(isIncluded({ ...proof, index: (index + 1) % (size + 1) })).toBe(false)
      expect(isIncluded({ ...proof, path: [...proof.path, proof.root] })).toBe(false)
      expect(isIncluded({ ...proof, path: proof.path.slice(1) })).toBe(size === 1)
      if (size === 1) return
      const path = proof.path.map((hash) => Buffer.from(hash))
      path[flip % path.length]![flip % 32]! ^= 1
      expect(isIncluded({ ...proof, path })).toBe(false)
    }),
    { numRuns: 200 },
  )
})

test('a whole tree has the root of the definition, and each of its paths leads there', () => {
  for (let size = 1; size <= 40; size += 1) {
    const hashes = Array.from({ length: size }, (_, i) => leafHash(Buffer.of(i)))
    const tree = wholeTree(hashes)
    expect(tree.root).toEqual(defined(hashes))
    hashes.forEach((leaf, index) =>
      expect(isIncluded({ leaf, index, size, path: tree.path(index), root: tree.root })).toBe(true),
    )
    expect(() => tree.path(size)).toThrow(RangeError)
    expect(() => tree.path(-1)).toThrow(RangeError)
  }
  expect(() => wholeTree([])).toThrow(RangeError)
})
