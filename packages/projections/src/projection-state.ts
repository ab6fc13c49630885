/** The state of each projection, in a table that `cupel status` reads. */
import type { Position } from '@cupel/event-log'
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

const STORE = {
  name: 'projection.store-state',
  text: `UPDATE projection.read_model
         SET state = $2, state_at = now(), lag = $3, error = $4,
             stopped_topic = $5, stopped_partition = $6, stopped_offset = $7
         WHERE name = $1 AND (state <> 'stopped' OR $8)`,
}

/**
 * Stores a status. A stop stays until a projection starts anew (`replacesStop`): a member of the group that has not read
 * the failing record yet does not overwrite it.
 */
export async function storeProjectionStatus(
  database: Queryable,
  status: ProjectionStatus,
  { replacesStop }: { replacesStop: boolean },
): Promise<void> {
  await database.execute(STORE, [
    status.name,
    status.state,
    status.lag,
    status.error,
    status.stoppedAt?.topic ?? null,
    status.stoppedAt?.partition ?? null,
    status.stoppedAt?.offset ?? null,
    replacesStop || status.state === 'stopped',
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
