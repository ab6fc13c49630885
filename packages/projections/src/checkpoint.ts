/**
 * The offset at which a consumer group resumes reading. A checkpoint moves only from the value that its holder expects, in the
 * transaction of the rows. A member that lost its partition, and a process whose last commits were lost in a crash, find another
 * value: they roll back and resume at the stored one.
 */
import { createBatcher } from '@cupel/kit/concurrency'
import { type Checkpoint, type LogIdentity, type Place, placeOf } from '@cupel/event-log'
import { asTimes, type Queryable } from '@cupel/postgres'

export interface GroupPartition {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

export interface StoredCheckpoint extends Checkpoint {
  readonly updatedAt: string
  /** UTC; when the checkpoint was last known to be at the end of its partition; null if never. */
  readonly followedAt: string | null
}

export interface CheckpointMove {
  readonly topic: string
  readonly partition: number
  /** Offset that the stored checkpoint must have now. */
  readonly expected: number
  /** The new offset: the next one to read. */
  readonly next: number
  /** Whether `next` is the end of the partition as last seen. */
  readonly atEnd?: boolean
}

const LOAD = {
  name: 'projection.load-checkpoints',
  text: `SELECT topic, partition, next, log, ${asTimes('updated_at, followed_at')} FROM projection.checkpoint
         JOIN unnest($2::text[], $3::int4[]) AS p (topic, partition) USING (topic, partition)
         WHERE group_name = $1`,
}

/** By `placeOf`. */
async function loadCheckpoints(
  database: Queryable,
  group: string,
  places: readonly Place[],
): Promise<ReadonlyMap<string, StoredCheckpoint>> {
  const rows = await database.query<StoredCheckpoint & Place & Record<string, unknown>>(LOAD, [
    group,
    places.map(({ topic }) => topic),
    places.map(({ partition }) => partition),
  ])
  return new Map(rows.map(({ topic, partition, ...stored }) => [placeOf({ topic, partition }), stored]))
}

export async function loadCheckpoint(
  database: Queryable,
  { group, ...place }: GroupPartition,
): Promise<StoredCheckpoint | null> {
  return (await loadCheckpoints(database, group, [place])).get(placeOf(place)) ?? null
}

// In one order, so that two members that create the same checkpoints cannot deadlock.
const CREATE = {
  name: 'projection.create-checkpoints',
  text: `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log)
         SELECT $1, p.topic, p.partition, 0, $4 FROM unnest($2::text[], $3::int4[]) AS p (topic, partition)
         ORDER BY p.topic, p.partition
         ON CONFLICT DO NOTHING`,
}

/**
 * The stored checkpoint; for a partition that was never read, one at offset 0. Readers call it on assignment, so that
 * a row to lock exists from then on: a rebuild holds back the live projector by locking these rows.
 */
export async function ensureCheckpoint(
  database: Queryable,
  { group, ...place }: GroupPartition,
  log: LogIdentity,
): Promise<StoredCheckpoint> {
  return (await ensureCheckpoints(database, { group, log, places: [place] }))[0]!
}

/** As ensureCheckpoint for several partitions, in their order, with the same round trips as for one. */
export async function ensureCheckpoints(
  database: Queryable,
  { group, log, places }: { group: string; log: LogIdentity; places: readonly Place[] },
): Promise<StoredCheckpoint[]> {
  const found = await loadCheckpoints(database, group, places)
  const missing = places.filter((place) => !found.has(placeOf(place)))
  if (missing.length === 0) return places.map((place) => found.get(placeOf(place))!)
  const topics = missing.map(({ topic }) => topic)
  const partitions = missing.map(({ partition }) => partition)
  await database.execute(CREATE, [group, topics, partitions, log])
  const created = await loadCheckpoints(database, group, missing)
  return places.map((place) => {
    const stored = found.get(placeOf(place)) ?? created.get(placeOf(place))
    if (stored === undefined) throw new Error(`The checkpoint of ${group} vanished while it was created`)
    return stored
  })
}

/** Partitions that are assigned in the same moment share the round trips of `ensureCheckpoints`. */
export function createCheckpointLoads(
  ensure: (places: readonly Place[]) => Promise<readonly StoredCheckpoint[]>,
): (place: Place) => Promise<StoredCheckpoint> {
  return createBatcher<Place, StoredCheckpoint>({ run: ensure }).add
}

// The rows are locked in one order, whatever the query plan: members and rebuilds cannot deadlock.
const ADVANCE = {
  name: 'projection.advance-checkpoints',
  text: `WITH m AS (
           SELECT * FROM unnest($3::text[], $4::int4[], $5::int8[], $6::int8[], $7::bool[])
             AS m (topic, partition, expected, next, at_end)
         ), held AS MATERIALIZED (
           SELECT c.topic, c.partition FROM projection.checkpoint c JOIN m USING (topic, partition)
           WHERE c.group_name = $1 AND c.log = $2 ORDER BY c.topic, c.partition FOR UPDATE OF c
         )
         UPDATE projection.checkpoint c
         SET next = m.next, updated_at = now(), followed_at = CASE WHEN m.at_end THEN now() ELSE c.followed_at END
         FROM m JOIN held USING (topic, partition)
         WHERE c.group_name = $1 AND c.log = $2
           AND c.topic = m.topic AND c.partition = m.partition AND c.next = m.expected
         RETURNING c.topic, c.partition`,
}

const FIRST = {
  name: 'projection.first-checkpoint',
  text: `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
}

/**
 * Moves the checkpoints of several partitions and returns the moves that took place. A move is refused if the stored
 * checkpoint is not the expected one, belongs to another log, or is missing while the expected one is not 0.
 *
 * Call it before writing rows: it locks the checkpoint, so a rebuild that switches tables at the same time is either
 * entirely before or entirely after this transaction.
 */
export async function advanceCheckpoints(
  transaction: Queryable,
  { group, log, moves }: { group: string; log: LogIdentity; moves: readonly CheckpointMove[] },
): Promise<CheckpointMove[]> {
  const rows = await transaction.query<{ topic: string; partition: number }>(ADVANCE, [
    group,
    log,
    moves.map((move) => move.topic),
    moves.map((move) => move.partition),
    moves.map((move) => move.expected),
    moves.map((move) => move.next),
    moves.map((move) => move.atEnd ?? false),
  ])
  const moved = new Set(rows.map(placeOf))
  for (const move of moves) {
    if (move.expected !== 0 || moved.has(placeOf(move))) continue
    const inserted = await transaction.execute(FIRST, [group, move.topic, move.partition, move.next, log])
    if (inserted === 1) moved.add(placeOf(move))
  }
  return moves.filter((move) => moved.has(placeOf(move)))
}
