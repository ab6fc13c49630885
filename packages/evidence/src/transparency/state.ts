/** The rows of a transparency log, and the step that extends it. Writers take turns, and none overtakes another. */
import { placeOf, type Place, type Position } from '@cupel/event-log'
import { turnsOnly, type Pauses } from '@cupel/kit/concurrency'
import type { Database, Queryable } from '@cupel/postgres'
import { advanceCheckpoints, type CheckpointMove } from '@cupel/projections'
import type { Tree } from '@cupel/signing'
import type { MadeLeaf } from './leaf-of-record.js'

/** The group whose checkpoints say which records have a leaf. */
export const TRANSPARENCY_GROUP = 'projector.transparency.v1'

export interface StoredLog {
  readonly number: number
  readonly tree: Tree
  /** The signed note, with the lines of witnesses that have cosigned it so far; null for an empty tree. */
  readonly checkpoint: string | null
  /** The last checkpoint that enough witnesses cosigned; null if there is none. */
  readonly cosigned: CosignedCheckpoint | null
}

export interface CosignedCheckpoint {
  readonly size: number
  readonly note: string
}

/** The data that a writer needs. */
export type LockedLog = Omit<StoredLog, 'cosigned'>

interface LogRow {
  readonly number: number
  readonly size: number
  readonly peaks: Buffer
  readonly checkpoint: string | null
}

interface LoadedRow extends LogRow {
  readonly cosignedSize: number | null
  readonly cosigned: string | null
}

const LOAD = {
  name: 'transparency.load',
  text: `SELECT number, size, peaks, checkpoint, cosigned_size AS "cosignedSize", cosigned
    FROM transparency.log WHERE log = $1`,
}

export async function loadLog(database: Queryable, log: string): Promise<StoredLog | null> {
  const [row] = await database.query<LoadedRow>(LOAD, [log])
  if (row === undefined) return null
  const { number, size, peaks, checkpoint, cosignedSize, cosigned } = row
  return {
    ...{ number, tree: { size, peaks: hashesOf(peaks) }, checkpoint },
    cosigned: cosigned === null ? null : { size: cosignedSize!, note: cosigned },
  }
}

/** The rows of the log; created if missing. */
export async function ensureLog(database: Queryable, log: string): Promise<StoredLog> {
  const found = await loadLog(database, log)
  if (found !== null) return found
  await database.execute(
    `INSERT INTO transparency.log (log, size, peaks) VALUES ($1, 0, '') ON CONFLICT DO NOTHING`,
    [log],
  )
  const made = await loadLog(database, log)
  if (made === null) throw new Error('The rows of the transparency log vanished while they were made')
  return made
}

/** The offset after the last record of each partition that has a leaf. */
export async function loadPositions(database: Queryable, log: string): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ topic: string; partition: number; next: number }>(
    'SELECT topic, partition, next FROM projection.checkpoint WHERE group_name = $1 AND log = $2',
    [TRANSPARENCY_GROUP, log],
  )
  return new Map(rows.map(({ topic, partition, next }) => [`${topic}/${partition}`, next]))
}

export interface NewLeaf extends MadeLeaf {
  /** Null if the log no longer has the record. */
  readonly record: Position | null
}

export interface Subtree {
  readonly level: number
  readonly index: number
  readonly hash: Buffer
}

export interface Growth {
  readonly log: string
  readonly moves: readonly CheckpointMove[]
  readonly leaves: readonly NewLeaf[]
  readonly subtrees: readonly Subtree[]
  /** Taken between the statements that store leaves; turns of the event loop by default. */
  readonly pauses?: Pauses
}

/** Another writer, or an operator, moved a position in the meantime: nothing is written. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError'
}

/**
 * Stores leaves, subtrees, positions and the checkpoint in one transaction. `sign` receives the tree of the database while no other
 * writer can change it, and returns the longer one with its signature. Returns false and writes nothing if another writer was first.
 */
export async function grow(
  database: Database,
  before: StoredLog,
  growth: Growth,
  sign: (stored: LockedLog) => { readonly tree: Tree; readonly checkpoint: string },
): Promise<boolean> {
  const { log, moves, leaves, ...rest } = growth
  try {
    return await database.transaction({ at: 'transparency.sign' }, async (transaction) => {
      const stored = await lockLog(transaction, before.number)
      if (stored.tree.size !== before.tree.size) return false
      const moved = await advanceCheckpoints(transaction, { group: TRANSPARENCY_GROUP, log, moves })
      if (moved.length !== moves.length) throw new OvertakenError()
      if (leaves.length === 0) return true
      const { number, tree } = stored
      const next = sign(stored)
      await storeLeaves(transaction, { number, from: tree.size, leaves, ...rest })
      await storeTree(transaction, { number, ...next })
      return true
    })
  } catch (error) {
    if (error instanceof OvertakenError) return false
    throw error
  }
}

/** The log, locked against other writers until the transaction ends. */
export async function lockLog(transaction: Queryable, number: number): Promise<LockedLog> {
  const [row] = await transaction.query<LogRow>(LOCK, [number])
  if (row === undefined) throw new Error('The rows of the transparency log vanished')
  const { size, peaks, checkpoint } = row
  return { number, tree: { size, peaks: hashesOf(peaks) }, checkpoint }
}

/** Stores the rows of further leaves; the tree is stored separately. */
export async function storeLeaves(
  transaction: Queryable,
  growth: Pick<Growth, 'leaves' | 'subtrees' | 'pauses'> & {
    readonly number: number
    readonly from: number
  },
): Promise<void> {
  const { number, from, leaves, subtrees, pauses = turnsOnly() } = growth
  const last = new Map<string, Place & { readonly last: number }>()
  for (const [at, { record }] of leaves.entries())
    if (record !== null) last.set(placeOf(record), { ...record, last: from + at })
  const ids = await moveLast(transaction, number, [...last.values()])
  for (let at = 0; at < leaves.length; at += LEAVES_PER_STATEMENT) {
    const some = leaves.slice(at, at + LEAVES_PER_STATEMENT)
    await transaction.execute(INSERT_LEAVES, [
      ...[number, from + at, some.map(({ entry }) => entry)],
      some.map(({ record }) => (record === null ? null : ids.get(placeOf(record)))),
      some.map(({ record }) => record?.offset ?? null),
      ...[some.map(({ documentId }) => documentId), some.map(({ salt }) => salt)],
    ])
    await pauses.next()
  }
  await transaction.execute(INSERT_SUBTREES, [
    ...[number, subtrees.map(({ level }) => level), subtrees.map(({ index }) => index)],
    subtrees.map(({ hash }) => hash),
  ])
}

/** Sets the last leaf of each place, and resolves to the numbers of the places, which new ones get. */
async function moveLast(
  transaction: Queryable,
  number: number,
  places: readonly (Place & { readonly last: number })[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await transaction.query<Place & { place: number }>(
    `INSERT INTO transparency.place (number, place, topic, partition, last)
     SELECT $1, (SELECT coalesce(max(place), 0) FROM transparency.place WHERE number = $1) + ordinality, topic, partition, last
     FROM unnest($2::text[], $3::int4[], $4::int8[]) WITH ORDINALITY AS new (topic, partition, last, ordinality)
     ON CONFLICT (number, topic, partition) DO UPDATE SET last = excluded.last
     RETURNING topic, partition, place`,
    [
      ...[number, places.map(({ topic }) => topic), places.map(({ partition }) => partition)],
      places.map(({ last }) => last),
    ],
  )
  return new Map(rows.map((row) => [placeOf(row), row.place]))
}

export async function storeTree(
  transaction: Queryable,
  { number, tree, checkpoint }: { readonly number: number; readonly tree: Tree; readonly checkpoint: string },
): Promise<void> {
  await transaction.execute(MOVE, [number, tree.size, Buffer.concat(tree.peaks), checkpoint])
}

const LOCK = {
  name: 'transparency.lock',
  text: 'SELECT number, size, peaks, checkpoint FROM transparency.log WHERE number = $1 FOR UPDATE',
}
const MOVE = {
  name: 'transparency.move',
  text: 'UPDATE transparency.log SET size = $2, peaks = $3, checkpoint = $4 WHERE number = $1',
}
/** The text of so many leaves takes about a millisecond. */
const LEAVES_PER_STATEMENT = 128
const INSERT_LEAVES = {
  name: 'transparency.insert-leaves',
  text: `INSERT INTO transparency.leaf (number, index, entry, place, record_offset, document_id, salt)
    SELECT $1, $2 + ordinality - 1, entry, place, record_offset, document_id, salt
    FROM unnest($3::text[], $4::int4[], $5::int8[], $6::text[], $7::bytea[])
      WITH ORDINALITY AS new (entry, place, record_offset, document_id, salt, ordinality)`,
}
const INSERT_SUBTREES = {
  name: 'transparency.insert-subtrees',
  text: `INSERT INTO transparency.subtree (number, level, index, hash)
    SELECT $1, * FROM unnest($2::int2[], $3::int8[], $4::bytea[])`,
}

const HASH_BYTES = 32

function hashesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )
}
