/** Compares the published files with a tree: every tile that a reader of the checkpoint may request. */
import { leafHash } from '@cupel/signing'
import { HASH_BYTES } from '../format/leaf.js'
import {
  entriesOfBundle,
  hashesOfLevel,
  newTiles,
  parseTilePath,
  tilePath,
  TILE_WIDTH,
  type TileName,
} from '../format/tiles.js'
import { firstOf, narrowerOf, publishedTile, tileFile } from '../published.js'
import type { PublishedStore } from '../store/published-store.js'
import type { Findings } from './findings.js'

/** Hashes of a level of the tree: level 0 are those of leaves. */
export type HashesOf = (level: number, index: number) => Buffer | undefined

/**
 * Reports each tile that is missing or invalid, each tile with other hashes than the tree, and each narrower tile that was left and
 * differs. The entries themselves are compared with rows and records elsewhere. Only of the tiles that a tree of `to` leaves has and one of `from` has not.
 */
export async function compareTiles(
  store: PublishedStore,
  {
    from,
    to,
    size,
    hashOf,
    findings,
  }: {
    readonly from: number
    readonly to: number
    /** Number of leaves of the published tree. */
    readonly size: number
    readonly hashOf: HashesOf
    readonly findings: Findings
  },
): Promise<void> {
  const needed = newTiles(from, Math.min(to, size)).map((name) => asPublished(name, size))
  for (const name of needed) {
    const { level, index, width } = name
    const file = `${store.place}/${tileFile(name)}`
    const below = TILE_WIDTH ** (level === 'entries' ? 0 : level)
    const first = index * TILE_WIDTH * below
    const tile = await publishedTile(store, name)
    if (tile === null) findings.fault(`${file} is gone: put it back, from a copy.`, first)
    else if (level === 'entries') {
      const entries = entriesOfBundle(tile)
      if (entries?.length !== width)
        findings.fault(`${file} does not hold ${width} leaves: put it back, from a copy.`, first)
      else if (!entries.every((entry, at) => isLeafOf(entry, hashOf(0, index * TILE_WIDTH + at))))
        findings.fault(`${file} does not hold the leaves of its tree: put it back, from a copy.`, first)
    } else {
      const wrong = firstWrong(tile, { level, first: index * TILE_WIDTH, width }, hashOf)
      if (wrong !== null)
        findings.fault(
          `${file} does not hold the tree of its leaves: the hash ${wrong} of level ${level} differs.`,
          wrong * below,
        )
    }
  }
  await compareNarrower(store, needed, findings)
}

/** A tile that a later leaf made wider is published as that. */
function asPublished({ level, index }: TileName, size: number): TileName {
  const hashes = hashesOfLevel(size, level === 'entries' ? 0 : level)
  return { level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) }
}

const isLeafOf = (entry: string, hash: Buffer | undefined): boolean =>
  hash?.equals(leafHash(Buffer.from(entry))) !== false

/** Index of the first different hash; null if all match the tree. */
function firstWrong(
  tile: Buffer,
  { level, first, width }: { readonly level: number; readonly first: number; readonly width: number },
  hashOf: HashesOf,
): number | null {
  for (let at = 0; at < width; at += 1) {
    const hash = hashOf(level, first + at)
    // Unknown after a leaf that is gone, which is reported by itself.
    if (hash?.equals(tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)) === false) return first + at
  }
  return tile.length === width * HASH_BYTES ? null : first + width
}

/** Readers of an earlier checkpoint request narrower tiles. Tiles after the checkpoint are not used yet. */
async function compareNarrower(
  store: PublishedStore,
  needed: readonly TileName[],
  findings: Findings,
): Promise<void> {
  for (const name of needed) {
    const folder = narrowerOf(name)
    for (const file of await store.list(folder)) {
      const narrower = parseTilePath(tilePath({ ...name, width: Number(file) || 0 }))
      if (narrower === null || narrower.width >= name.width) continue
      const [bytes, whole] = [await store.read(`${folder}/${file}`), await publishedTile(store, name)]
      // The writer removes narrower tiles meanwhile.
      if (bytes === null || whole === null) continue
      if (firstOf(whole, narrower)?.equals(bytes) !== true)
        findings.fault(`${store.place}/${folder}/${file} is not the beginning of the tile that followed it.`)
    }
  }
}
