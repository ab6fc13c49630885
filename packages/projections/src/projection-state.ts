/** The state of each projection, in a table that `cupel status` reads. */
import type { Position } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'

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

interface StateRow extends Record<string, unknown> {
  name: string
  state: ProjectionState
  lag: number | null
  error: string | null
  stopped_topic: string | null
  stopped_partition: number | null
  stopped_offset: number | null
  state_at: Date
  age_ms: number
}

/** The status of every read model, by name. */
export async function listProjectionStatuses(database: Queryable): Promise<StoredProjectionStatus[]> {
  const rows = await database.query<StateRow>(
    `SELECT name, state, lag, error, stopped_topic, stopped_partition, stopped_offset, state_at,
            (extract(epoch FROM now() - state_at) * 1000)::int8 AS age_ms
     FROM projection.read_model ORDER BY name`,
  )
  return rows.map((row) => ({
    name: row.name,
    state: row.state,
    lag: row.lag,
    error: row.error,
    stoppedAt:
      row.stopped_topic === null || row.stopped_partition === null || row.stopped_offset === null
        ? null
        : { topic: row.stopped_topic, partition: row.stopped_partition, offset: row.stopped_offset },
    seenAt: row.state_at.toISOString(),
    seenAgeMs: row.age_ms,
  }))
}
