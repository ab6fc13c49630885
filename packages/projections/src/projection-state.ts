/** The state of each projection, in a table that `cupel status` reads. */
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

// Checkpoints are locked before the row of the read model, as a rebuild does: the condition on their number is evaluated first.
const STORE = {
  name: 'projection.store-state',
  text: `WITH followed AS (
           UPDATE projection.checkpoint c SET followed_at = now()
           FROM unnest($11::text[], $12::int4[], $13::int8[]) AS e (topic, partition, end_offset)
           WHERE c.group_name = $9 AND c.log = $10
             AND c.topic = e.topic AND c.partition = e.partition AND c.next >= e.end_offset
           RETURNING 1
         )
         UPDATE projection.read_model
         SET state = $2, state_at = now(), lag = $3, error = $4,
             stopped_topic = $5, stopped_partition = $6, stopped_offset = $7
         WHERE (SELECT count(*) FROM followed) >= 0 AND name = $1 AND (state <> 'stopped' OR $8)`,
}

/**
 * Stores a status. A stop stays until a projection starts anew (`replacesStop`): a member of the group that has not read
 * the failing record yet does not overwrite it.
 *
 * Also records which checkpoints have reached the ends that were seen. This distinguishes a quiet log from a stuck reader.
 */
export async function storeProjectionStatus(
  database: Queryable,
  status: ProjectionStatus,
  { replacesStop, seen = null }: { replacesStop: boolean; seen?: SeenEnds | null },
): Promise<void> {
  const ends = seen?.ends ?? []
  await database.execute(STORE, [
    status.name,
    status.state,
    status.lag,
    status.error,
    status.stoppedAt?.topic ?? null,
    status.stoppedAt?.partition ?? null,
    status.stoppedAt?.offset ?? null,
    replacesStop || status.state === 'stopped',
    seen?.group ?? null,
    seen?.log ?? null,
    ends.map((end) => end.topic),
    ends.map((end) => end.partition),
    ends.map((end) => end.endOffset),
  ])
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
