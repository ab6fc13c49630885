/**
 * The rows from which the next checkpoint continues, and the fence: of two writers with the same last checkpoint one gets the next number.
 */
import { type Place, placeOf } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import type { Tree } from '@cupel/signing'

export interface Head {
  readonly number: number
  /** Byte of the file at which the line begins. */
  readonly position: number
  readonly line: string
  /** The tree over the statements of all checkpoints. */
  readonly tree: Tree
}

export interface PartitionState extends Place {
  /** Offset of the first leaf. */
  readonly first: number
  readonly tree: Tree
  /** Hash of the record before the next one. */
  readonly lastLeaf: Buffer
}

export interface State {
  /** Null before the first checkpoint. */
  readonly head: Head | null
  readonly partitions: ReadonlyMap<string, PartitionState>
}

export const nextOf = ({ first, tree }: PartitionState): number => first + tree.size

interface StateRow {
  readonly number: number
  readonly position: number
  readonly line: string
  readonly peaks: Buffer
  readonly partitions:
    | (Place & {
        readonly first: number
        readonly next: number
        readonly peaks: string
        readonly leaf: string
      })[]
    | null
}

// One statement is one snapshot: rows of two checkpoints never mix.
const LOAD = {
  name: 'checkpoints.load',
  text: `SELECT number, position, line, peaks,
      (SELECT json_agg(json_build_object('topic', topic, 'partition', partition, 'first', first, 'next', next,
          'peaks', encode(p.peaks, 'hex'), 'leaf', encode(last_leaf, 'hex')))
       FROM checkpoints.partition p WHERE p.log = h.log) AS partitions
    FROM checkpoints.head h WHERE log = $1`,
}

export async function loadState(database: Queryable, log: string): Promise<State> {
  const [row] = await database.query<StateRow>(LOAD, [log])
  if (row === undefined) return { head: null, partitions: new Map() }
  const { number, position, line, peaks } = row
  const states = (row.partitions ?? []).map(({ topic, partition, first, next, ...hex }) => {
    const tree = { size: next - first, peaks: hashesOf(Buffer.from(hex.peaks, 'hex')) }
    return { topic, partition, first, tree, lastLeaf: Buffer.from(hex.leaf, 'hex') }
  })
  return {
    head: { number, position, line, tree: { size: number, peaks: hashesOf(peaks) } },
    partitions: new Map(states.map((state) => [placeOf(state), state])),
  }
}

export interface Advance {
  readonly log: string
  /** The number of the last checkpoint that the writer knows; null if it knows none. */
  readonly after: number | null
  readonly head: Head
  readonly partitions: readonly PartitionState[]
  /** Whether rows of other partitions are deleted. */
  readonly isWhole?: boolean
  /** Further writes of the same transaction. */
  readonly also?: (transaction: Queryable) => Promise<void>
}

/** False, and nothing is written, if another writer made a checkpoint meanwhile. */
export async function advance(database: Database, advance: Advance): Promise<boolean> {
  const { log, after, head, partitions } = advance
  const values = [log, head.number, head.position, head.line, Buffer.concat(head.tree.peaks)]
  return await database.transaction({ at: 'checkpoints.sign' }, async (transaction) => {
    const moved =
      after === null
        ? await transaction.execute(INSERT_HEAD, values)
        : await transaction.execute(MOVE_HEAD, [...values, after])
    if (moved === 0) return false
    if (advance.isWhole === true)
      await transaction.execute('DELETE FROM checkpoints.partition WHERE log = $1', [log])
    await transaction.execute(WRITE_PARTITIONS, [
      log,
      partitions.map(({ topic }) => topic),
      partitions.map(({ partition }) => partition),
      partitions.map(({ first }) => first),
      partitions.map(nextOf),
      partitions.map(({ tree }) => Buffer.concat(tree.peaks)),
      partitions.map(({ lastLeaf }) => lastLeaf),
    ])
    await advance.also?.(transaction)
    return true
  })
}

const INSERT_HEAD = {
  name: 'checkpoints.insert-head',
  text: `INSERT INTO checkpoints.head (log, number, position, line, peaks) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (log) DO NOTHING`,
}
const MOVE_HEAD = {
  name: 'checkpoints.move-head',
  text: `UPDATE checkpoints.head SET number = $2, position = $3, line = $4, peaks = $5 WHERE log = $1 AND number = $6`,
}
const WRITE_PARTITIONS = {
  name: 'checkpoints.write-partitions',
  text: `INSERT INTO checkpoints.partition (log, topic, partition, first, next, peaks, last_leaf)
    SELECT $1, * FROM unnest($2::text[], $3::int4[], $4::int8[], $5::int8[], $6::bytea[], $7::bytea[])
    ON CONFLICT (log, topic, partition) DO UPDATE
    SET first = excluded.first, next = excluded.next, peaks = excluded.peaks, last_leaf = excluded.last_leaf`,
}

const HASH_BYTES = 32

function hashesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )
}
