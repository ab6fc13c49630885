/** The runs of a retention that repeats, in rows that `cupel status`, `cupel doctor` and the projector read: the timer that makes them may be gone. */
import { timeText, type Queryable } from '@cupel/postgres'

export interface RetentionRuns {
  /** The archive: a folder, or `s3://bucket/prefix`. */
  readonly place: string
  /** Whole months whose reports stay. */
  readonly keepMonths: number
  /** Time since the last run that did all that was due, in milliseconds; since the first one began if none ever did. */
  readonly ageMs: number
  /** A sentence that says why the last run did not do all that was due; null if it did. */
  readonly failure: string | null
  /** UTC, RFC 3339; null if the last run did all that was due. */
  readonly failedSince: string | null
}

/** A timer runs it at least every day. */
const MAX_RUN_AGE_MS = 48 * 3_600_000
const MS_PER_HOUR = 3_600_000

export async function listRetentionRuns(database: Queryable): Promise<readonly RetentionRuns[]> {
  return await database.query<RetentionRuns & Record<string, unknown>>(
    `SELECT place, keep_months AS "keepMonths", failure, ${timeText('failed_since')} AS "failedSince",
       greatest(0, extract(epoch FROM now() - coalesce(done_at, begun_at)) * 1000)::float8 AS "ageMs"
     FROM projection.retention_run ORDER BY place, keep_months`,
  )
}

/** A sentence; null if the retention is kept up. */
export function retentionFault({
  place,
  keepMonths,
  ageMs,
  failure,
  failedSince,
}: RetentionRuns): string | null {
  const command = `\`cupel retention run ${place} --keep-months ${keepMonths}\``
  if (failure !== null) return `Runs of ${command} are refused since ${failedSince}: ${failure}`
  if (ageMs <= MAX_RUN_AGE_MS) return null
  return `No run of ${command} ended for ${Math.floor(ageMs / MS_PER_HOUR)} h.`
}

/** A run begins. */
export async function storeRetentionBegun(
  database: Queryable,
  { place, keepMonths }: Pick<RetentionRuns, 'place' | 'keepMonths'>,
): Promise<void> {
  await database.execute(
    `INSERT INTO projection.retention_run (place, keep_months) VALUES ($1, $2)
     ON CONFLICT DO NOTHING`,
    [place, keepMonths],
  )
}

/** A run ended. `failure`: null if it did all that was due. */
export async function storeRetentionEnded(
  database: Queryable,
  { place, keepMonths, failure }: Pick<RetentionRuns, 'place' | 'keepMonths' | 'failure'>,
): Promise<void> {
  await database.execute(
    `UPDATE projection.retention_run SET failure = $2,
       failed_since = CASE WHEN $2::text IS NOT NULL THEN coalesce(failed_since, now()) END,
       done_at = CASE WHEN $2::text IS NULL THEN now() ELSE done_at END
     WHERE place = $1 AND keep_months = $3`,
    [place, failure, keepMonths],
  )
}

/** Resolves to whether it was repeated. `keepMonths`: null for the runs of every count. */
export async function endRetentionRuns(
  database: Queryable,
  place: string,
  keepMonths: number | null,
): Promise<boolean> {
  const ended = await database.execute(
    'DELETE FROM projection.retention_run WHERE place = $1 AND keep_months = coalesce($2, keep_months)',
    [place, keepMonths],
  )
  return ended > 0
}
