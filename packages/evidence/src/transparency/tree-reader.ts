/** Reads hashes of a stored tree: tiles, roots of earlier sizes, and paths. A tree only grows, so that every read stays right. */
import { appendLeaf, EMPTY_TREE, leafHash, rootOf, type Tree } from '@cupel/signing'
import type { Queryable } from '@cupel/postgres'
import { TILE_WIDTH } from './format/tiles.js'

/** Hashes `from` ≤ index < `to` of a level; level 0 are leaf hashes. Throws if the tree has fewer. */
export type ReadHashes = (level: number, from: number, to: number) => Promise<readonly Buffer[]>

const ENTRIES = {
  name: 'transparency.entries',
  text: 'SELECT entry FROM transparency.leaf WHERE number = $1 AND index >= $2 AND index < $3 ORDER BY index',
}
const SUBTREES = {
  name: 'transparency.subtrees',
  text: `SELECT hash FROM transparency.subtree WHERE number = $1 AND level = $2 AND index >= $3 AND index < $4
    ORDER BY index`,
}

/** The texts of leaves. Throws if the tree has fewer. */
export async function readEntries(
  database: Queryable,
  number: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly string[]> {
  const rows = await database.query<{ entry: string }>(ENTRIES, [number, from, to])
  if (rows.length !== to - from) throw new Error(`Leaves of the transparency log are gone from ${from} on`)
  return rows.map(({ entry }) => entry)
}

export function hashReader(database: Queryable, number: number): ReadHashes {
  return async (level, from, to) => {
    if (level === 0) {
      const entries = await readEntries(database, number, { from, to })
      return entries.map((entry) => leafHash(Buffer.from(entry)))
    }
    const rows = await database.query<{ hash: Buffer }>(SUBTREES, [number, level, from, to])
    if (rows.length !== to - from)
      throw new Error(`Hashes of level ${level} of the transparency log are gone from ${from} on`)
    return rows.map(({ hash }) => hash)
  }
}

/** Reads each tile once. The hashes that a path needs lie within tiles. */
export function byTiles(read: ReadHashes, size: number): ReadHashes {
  const tiles = new Map<string, Promise<readonly Buffer[]>>()
  return async (level, from, to) => {
    const first = Math.floor(from / TILE_WIDTH) * TILE_WIDTH
    const name = `${level}/${first}`
    const end = Math.min(first + TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level))
    const tile = tiles.get(name) ?? read(level, first, end)
    tiles.set(name, tile)
    return (await tile).slice(from - first, to - first)
  }
}

/** MTH of the leaves `from` ≤ index < `to`, a range that RFC 6962 splits off: `from` is a multiple of a power of two that holds it. */
export async function rootOfRange(read: ReadHashes, from: number, to: number): Promise<Buffer> {
  return rootOf({ size: to - from, peaks: await peaksOfRange(read, from, to) })
}

async function peaksOfRange(read: ReadHashes, from: number, to: number): Promise<Buffer[]> {
  const peaks: Buffer[] = []
  for (let at = from; at < to;) {
    let [level, unit] = [0, 1]
    while (unit * TILE_WIDTH <= to - at) [level, unit] = [level + 1, unit * TILE_WIDTH]
    const count = Math.floor((to - at) / unit)
    const hashes = await read(level, at / unit, at / unit + count)
    peaks.push(...hashes.reduce<Tree>((tree, hash) => appendLeaf(tree, hash), EMPTY_TREE).peaks)
    at += count * unit
  }
  return peaks
}

/** The inclusion path of a leaf in the tree of the first `size` leaves, from the leaf up. */
export async function readPath(read: ReadHashes, index: number, size: number): Promise<Buffer[]> {
  const path: Buffer[] = []
  for (let [from, to] = [0, size]; to - from > 1;) {
    let half = 1
    while (half * 2 < to - from) half *= 2
    const isLeft = index < from + half
    path.unshift(await (isLeft ? rootOfRange(read, from + half, to) : rootOfRange(read, from, from + half)))
    if (isLeft) to = from + half
    else from += half
  }
  return path
}

/** PROOF(from, D[size]) of RFC 6962, section 2.1.2: it proves that the tree of `from` leaves is the beginning of the tree of `size`. */
export async function readConsistency(read: ReadHashes, from: number, size: number): Promise<Buffer[]> {
  if (from === 0 || from === size) return []
  const proof: Buffer[] = []
  let [start, end, isWhole] = [0, size, true]
  // Descends to the end of the smaller tree; `isWhole`: the reader already has its root.
  while (from !== end) {
    let half = 1
    while (half * 2 < end - start) half *= 2
    const middle = start + half
    if (from <= middle) {
      proof.unshift(await rootOfRange(read, middle, end))
      end = middle
    } else {
      proof.unshift(await rootOfRange(read, start, middle))
      ;[start, isWhole] = [middle, false]
    }
  }
  return isWhole ? proof : [await rootOfRange(read, start, end), ...proof]
}
