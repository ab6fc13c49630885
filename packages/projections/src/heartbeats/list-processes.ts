/** The processes of an installation, from their heartbeats. */
import { timeText, type Queryable } from '@cupel/postgres'
import { STALE_MS } from './claim-instance.js'

export interface ProcessSeen {
  readonly service: string
  readonly instance: number
  readonly host: string
  readonly pid: number
  readonly release: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly startedAt: string
  /** Time since the last heartbeat, by the clock of the database. */
  readonly seenAgeMs: number
  /** False if the process sent no heartbeat for some seconds: it ended without giving its number back, or cannot reach the database. */
  readonly isSeen: boolean
  /** Time of the database minus that of its machine, including the time of a statement. */
  readonly skewMs: number
  /** Names of the failing readiness checks. */
  readonly failing: readonly string[]
}

/** A process that ended without giving its number back is shown for a day, or until another one has its number. */
const FORGET_AFTER = '1 day'

/** In the order of services and instances; none if an earlier release made the tables of the database. */
export async function listProcesses(database: Queryable): Promise<ProcessSeen[]> {
  const [{ exists } = { exists: false }] = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('heartbeats.process') IS NOT NULL AS exists`,
  )
  if (!exists) return []
  const rows = await database.query<Omit<ProcessSeen, 'isSeen'>>(
    `SELECT service, instance, host, pid, release, ${timeText('started_at')} AS "startedAt", failing,
       skew_ms AS "skewMs",
       greatest(0, round(extract(epoch FROM clock_timestamp() - seen_at) * 1000))::int8 AS "seenAgeMs"
     FROM heartbeats.process WHERE seen_at > now() - interval '${FORGET_AFTER}' ORDER BY service, instance`,
  )
  return rows.map((row) => ({ ...row, isSeen: row.seenAgeMs < STALE_MS }))
}
