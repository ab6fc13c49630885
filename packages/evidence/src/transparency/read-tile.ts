/** The bytes of a tile. */
import type { Queryable } from '@cupel/postgres'
import { entryBundle, TILE_WIDTH, type TileName } from './format/tiles.js'
import { hashReader, readEntries } from './tree-reader.js'

/** Throws if the tree does not have all of it. */
export async function readTile(
  database: Queryable,
  number: number,
  { level, index, width }: TileName,
): Promise<Buffer> {
  const range = { from: index * TILE_WIDTH, to: index * TILE_WIDTH + width }
  if (level === 'entries') return entryBundle(await readEntries(database, number, range))
  return Buffer.concat(await hashReader(database, number)(level, range.from, range.to))
}
