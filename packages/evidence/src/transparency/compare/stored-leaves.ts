/** The leaves of a transparency log, read from the rows of the database or from the published files. Neither is trusted. */
import type { Position } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { entriesOfBundle, hashesOfLevel, TILE_WIDTH } from '../format/tiles.js'
import { publishedTile } from '../published.js'
import { TRANSPARENCY_GROUP } from '../state.js'
import type { PublishedStore } from '../store/published-store.js'

export interface StoredLeaf {
  readonly entry: string
  /** What the row of the database states more; absent for a leaf of a file. */
  readonly row?: LeafRow
}

export interface LeafRow {
  /** Where the record is; null if it was lost when the leaf was taken back. */
  readonly record: Position | null
  readonly documentId: string | null
  readonly salt: Buffer | null
}

export interface LeafSource {
  readonly size: number
  /** The leaves `from` ≤ index < `to`; null for one that is gone or unreadable. */
  read(from: number, to: number): Promise<readonly (StoredLeaf | null)[]>
}

export interface StoredRows {
  readonly number: number
  /** Number of leaves of the tree, according to the row. */
  readonly size: number
  /** The index after the last leaf that has a row. */
  readonly leaves: number
  /** Roots of the full subtrees of the tree, concatenated. */
  readonly peaks: Buffer
  readonly checkpoint: string | null
  /** The last checkpoint that enough witnesses cosigned. */
  readonly cosigned: string | null
  /** The offset after the last record of each partition that has a leaf, by `topic/partition`. */
  readonly positions: ReadonlyMap<string, number>
  /** Index of the last leaf of each partition, by `topic/partition`. */
  readonly lasts: ReadonlyMap<string, number | null>
}

/** Tree and positions of one moment; null if the database has no transparency log of this log. */
export async function loadRows(database: Queryable, log: string): Promise<StoredRows | null> {
  const [row] = await database.query<
    Omit<StoredRows, 'positions' | 'lasts'> & {
      readonly positions: readonly string[]
      readonly lasts: readonly string[]
    }
  >(
    {
      name: 'transparency.load-whole',
      text: `SELECT number, size, peaks, checkpoint, cosigned,
          COALESCE((SELECT max(index) + 1 FROM transparency.leaf l WHERE l.number = t.number), 0)::int8 AS leaves, ARRAY(
          SELECT topic || '/' || partition || ' ' || next FROM projection.checkpoint WHERE group_name = $2 AND log = $1
        ) AS positions, ARRAY(
          SELECT topic || '/' || partition || ' ' || last FROM transparency.place p WHERE p.number = t.number AND last IS NOT NULL
        ) AS lasts FROM transparency.log t WHERE log = $1`,
    },
    [log, TRANSPARENCY_GROUP],
  )
  if (row === undefined) return null
  return { ...row, positions: numbersOf(row.positions), lasts: numbersOf(row.lasts) }
}

const numbersOf = (texts: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    texts
      .map((text) => text.split(' ') as [string, string])
      .map(([place, number]) => [place, Number(number)]),
  )

export function leavesOfRows(database: Queryable, number: number, size: number): LeafSource {
  return {
    size,
    async read(from, to) {
      const rows = await database.query<
        Omit<LeafRow, 'record'> & {
          readonly [column in 'topic' | 'partition' | 'offset']: Position[column] | null
        } & { readonly index: number; readonly entry: string }
      >(
        {
          name: 'transparency.compare-leaves',
          text: `SELECT index, entry, topic, partition, record_offset AS "offset", document_id AS "documentId", salt
            FROM transparency.leaf LEFT JOIN transparency.place USING (number, place)
            WHERE number = $1 AND index >= $2 AND index < $3`,
        },
        [number, from, to],
      )
      const leaves: (StoredLeaf | null)[] = Array.from({ length: to - from }, () => null)
      for (const { index, entry, topic, partition, offset, ...row } of rows) {
        const record =
          topic === null || partition === null || offset === null ? null : { topic, partition, offset }
        leaves[index - from] = { entry, row: { record, ...row } }
      }
      return leaves
    },
  }
}

/** No tree is higher. */
const MAX_LEVEL = 8
/** Leaves below a hash, in SQL: also for a row with a level that no tree has, for which it would be zero or too large. */
const WIDTH_OF_LEVEL = `256::numeric ^ least(greatest(level, 1), ${MAX_LEVEL})`

/** Roots of the full subtrees that a tree of `to` leaves has and one of `from` has not, as in the rows, by `level/index`. */
export async function subtreesOfRows(
  database: Queryable,
  number: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await database.query<{ level: number; index: number; hash: Buffer }>(
    `SELECT level, index, hash FROM transparency.subtree
     WHERE number = $1 AND level BETWEEN 1 AND ${MAX_LEVEL}
       AND index >= floor($2 / ${WIDTH_OF_LEVEL}) AND index < floor($3 / ${WIDTH_OF_LEVEL})`,
    [number, from, to],
  )
  return new Map(rows.map(({ level, index, hash }) => [`${level}/${index}`, hash]))
}

/** Unsigned rows outside of the tree: in words, the first of each table. */
export async function rowsBehindTree(database: Queryable, number: number): Promise<readonly string[]> {
  const rows = await database.query<{ row: string }>(
    `(SELECT 'leaf ' || l.index AS row FROM transparency.leaf l JOIN transparency.log t USING (number)
        WHERE l.number = $1 AND (l.index < 0 OR l.index >= t.size) ORDER BY l.index LIMIT 1)
      UNION ALL
      (SELECT 'hash ' || s.index || ' of level ' || s.level FROM transparency.subtree s JOIN transparency.log t USING (number)
        WHERE s.number = $1 AND (s.level NOT BETWEEN 1 AND ${MAX_LEVEL} OR s.index < 0 OR (s.index + 1) * (${WIDTH_OF_LEVEL}) > t.size) ORDER BY s.level, s.index LIMIT 1)
      UNION ALL
      (SELECT 'a second place of ' || topic || '/' || partition FROM transparency.place WHERE number = $1
        GROUP BY topic, partition HAVING count(*) > 1 LIMIT 1)`,
    [number],
  )
  return rows.map(({ row }) => row)
}

/** `store` has `checkpoint` and `tile`. An invalid bundle has no leaves. */
export function leavesOfFiles(store: PublishedStore, size: number): LeafSource {
  return {
    size,
    async read(from, to) {
      const leaves: (StoredLeaf | null)[] = []
      for (let at = from; at < to; at = from + leaves.length) {
        const index = Math.floor(at / TILE_WIDTH)
        const width = Math.min(TILE_WIDTH, hashesOfLevel(size, 0) - index * TILE_WIDTH)
        const tile = await publishedTile(store, { level: 'entries', index, width })
        const entries = tile === null ? null : entriesOfBundle(tile)
        const end = Math.min(to, index * TILE_WIDTH + width)
        for (let leaf = at; leaf < end; leaf += 1) {
          const entry = entries?.[leaf - index * TILE_WIDTH]
          leaves.push(entry === undefined ? null : { entry })
        }
      }
      return leaves
    },
  }
}
