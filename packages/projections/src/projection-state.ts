/** The state of each projection, in a table that `cupel status` reads. */
import { createBatcher } from '@cupel/kit/concurrency'
import type { LogIdentity, Position } from '@cupel/event-log'
import { timeText, type Queryable } from '@cupel/postgres'

export type ProjectionState = 'idle' | 'running' | 'retrying' | 'stopped'

export interface ProjectionStatus {
  readonly name: string
  readonly state: ProjectionState
  /** Records appended and not yet applied, as last seen; null before the first look. */
  readonly lag: number | null
  /** Why it is retrying or stopped. */
  readonly error: string | null
  /** The record that could not be applied. */
  readonly stoppedAt: Position | null
}

export interface StoredProjectionStatus extends ProjectionStatus {
  /** When the state was last written: a running projection writes every few seconds. */
  readonly seenAt: string
  readonly seenAgeMs: number
}

/** The ends of the partitions that a group reads, as last seen. */
export interface SeenEnds {
  readonly group: string
  readonly log: LogIdentity
  readonly ends: readonly PartitionEnd[]
}

export interface PartitionEnd {
  readonly topic: string
  readonly partition: number
  readonly endOffset: number
}

/** A status of one read model, with the ends that it saw. */
interface Told extends ProjectionStatus {
  readonly replacesStop: boolean
  readonly seen: SeenEnds | null
}

// A row that a rebuild holds is left out: the others do not wait for it. A checkpoint that its reader moves meanwhile is followed by that move.
const STORE = {
  name: 'projection.store-states',
  text: `WITH told AS (
           SELECT * FROM json_to_recordset($1)
             AS t (name text, state text, lag int8, error text, topic text, partition int4, record_offset int8, replaces_stop bool)
         ), reached AS MATERIALIZED (
           SELECT c.group_name, c.topic, c.partition FROM projection.checkpoint c
           JOIN json_to_recordset($2) AS e (group_name text, log text, topic text, partition int4, end_offset int8)
             USING (group_name, log, topic, partition)
           WHERE c.next >= e.end_offset FOR UPDATE OF c SKIP LOCKED
         ), followed AS (
           UPDATE projection.checkpoint c SET followed_at = now() FROM reached r
           WHERE c.group_name = r.group_name AND c.topic = r.topic AND c.partition = r.partition
         ), free AS MATERIALIZED (
           SELECT m.name FROM projection.read_model m JOIN told USING (name) FOR UPDATE OF m SKIP LOCKED
         ), stored AS (
           UPDATE projection.read_model m
           SET state = t.state, state_at = now(), lag = t.lag, error = t.error,
               stopped_topic = t.topic, stopped_partition = t.partition, stopped_offset = t.record_offset
           FROM told t JOIN free USING (name)
           WHERE m.name = t.name AND (m.state <> 'stopped' OR t.replaces_stop)
         )
         SELECT m.name FROM projection.read_model m JOIN told USING (name)
         WHERE m.name NOT IN (SELECT name FROM free)`,
}

const stores = new WeakMap<Queryable, (told: Told) => Promise<void>>()

/**
 * Stores a status. A stop stays until a projection starts anew (`replacesStop`): a member of the group that has not read
 * the failing record yet does not overwrite it. Rejects while a rebuild holds the read model.
 *
 * Also records which checkpoints have reached the ends that were seen. This distinguishes a quiet log from a stuck reader.
 * The projections of a process that store at the same moment share the statement.
 */
export async function storeProjectionStatus(
  database: Queryable,
  status: ProjectionStatus,
  { replacesStop, seen = null }: { replacesStop: boolean; seen?: SeenEnds | null },
): Promise<void> {
  let store = stores.get(database)
  if (store === undefined)
    stores.set(database, (store = createBatcher<Told, void>({ run: (all) => storeAll(database, all) }).add))
  await store({ ...status, replacesStop: replacesStop || status.state === 'stopped', seen })
}

async function storeAll(database: Queryable, all: readonly Told[]): Promise<Promise<void>[]> {
  const told = all.map(({ name, state, lag, error, stoppedAt, replacesStop }) => ({
    ...{ name, state, lag, topic: stoppedAt?.topic, partition: stoppedAt?.partition },
    // Postgres refuses NUL and half of a character, and with them the states of all. UTF-8 replaces the latter.
    error: error === null ? null : Buffer.from(error.replaceAll('\0', '\uFFFD')).toString(),
    ...{ record_offset: stoppedAt?.offset, replaces_stop: replacesStop },
  }))
  const ends = all.flatMap(({ seen }) =>
    (seen?.ends ?? []).map(({ topic, partition, endOffset }) => ({
      ...{ group_name: seen!.group, log: seen!.log, topic, partition, end_offset: endOffset },
    })),
  )
  const values = [JSON.stringify(told), JSON.stringify(ends)]
  const held = new Set((await database.query<{ name: string }>(STORE, values)).map(({ name }) => name))
  return all.map(async ({ name }) => {
    if (held.has(name)) throw new Error(`A rebuild holds ${name}`)
  })
}

/** The status of every read model, by name. */
export async function listProjectionStatuses(database: Queryable): Promise<StoredProjectionStatus[]> {
  return await database.query<StoredProjectionStatus>(
    `SELECT name, state, lag, error, ${timeText('state_at')} AS "seenAt",
       (extract(epoch FROM now() - state_at) * 1000)::int8 AS "seenAgeMs",
       CASE WHEN stopped_offset IS NOT NULL
         THEN json_build_object('topic', stopped_topic, 'partition', stopped_partition, 'offset', stopped_offset)
       END AS "stoppedAt"
     FROM projection.read_model ORDER BY name`,
  )
}
