/** The archives of the log, in rows that `cupel status`, `cupel doctor` and the projector read: the timer that makes them may be gone. */
import { timeText, type Queryable } from '@cupel/postgres'
import { ensureLog } from './state.js'

export interface KeptArchive {
  /** The folder, or `s3://bucket/prefix`. */
  readonly place: string
  /** The number of its last manifest. */
  readonly manifest: number
  /** Leaves whose records it has. */
  readonly size: number
  /** Leaves of the last checkpoint whose records it lacks. */
  readonly behind: number
  /** Time since the last run that succeeded, in milliseconds; null if none ever did. */
  readonly madeAgeMs: number | null
  /** Time since the beginning of the first run, in milliseconds. */
  readonly begunAgeMs: number
  /** UTC, RFC 3339: the beginning of the first run. */
  readonly begunAt: string
  /** A sentence that says why the last run failed; null if it did not. */
  readonly failure: string | null
  /** UTC, RFC 3339: since when runs fail; null if the last one did not. */
  readonly failedSince: string | null
}

/** A timer makes archives at least every day. */
const MAX_ARCHIVE_AGE_MS = 48 * 3_600_000
/** The first run may take long. One that was killed reports no failure. */
const MAX_FIRST_RUN_MS = 3_600_000
const MS_PER_HOUR = 3_600_000

const ageMsOf = (column: string): string =>
  `greatest(0, extract(epoch FROM now() - ${column}) * 1000)::float8`

export async function readArchives(database: Queryable, log: string): Promise<readonly KeptArchive[]> {
  return await database.query<KeptArchive & Record<string, unknown>>(
    `SELECT place, manifest, a.size, greatest(0, t.size - a.size) AS behind, failure,
       CASE WHEN made_at IS NOT NULL THEN ${ageMsOf('made_at')} END AS "madeAgeMs", ${ageMsOf('begun_at')} AS "begunAgeMs",
       ${timeText('begun_at')} AS "begunAt", ${timeText('failed_since')} AS "failedSince"
     FROM transparency.archive a JOIN transparency.log t USING (number) WHERE log = $1 ORDER BY place`,
    [log],
  )
}

/** A sentence; null if the archive is kept. One that lacks nothing is never stale; one that no run ever made is. */
export function archiveFault(archive: KeptArchive): string | null {
  const { place, behind, madeAgeMs, begunAt, failure, failedSince } = archive
  if (failure !== null) {
    const since =
      madeAgeMs === null ? `No run succeeded since ${begunAt}.` : `Runs fail since ${failedSince}.`
    return `The last run of \`cupel archive create ${place}\` failed: ${failure} ${since}`
  }
  if (madeAgeMs === null)
    return archive.begunAgeMs <= MAX_FIRST_RUN_MS
      ? null
      : `The first run of \`cupel archive create ${place}\` began at ${begunAt} and has not ended: there is no archive.`
  if (behind === 0 || madeAgeMs <= MAX_ARCHIVE_AGE_MS) return null
  return `The archive ${place} was made ${Math.floor(madeAgeMs / MS_PER_HOUR)} h ago, and lacks the records of ${behind} leaves.`
}

/** A run begins. */
export async function storeArchiveBegun(database: Queryable, log: string, place: string): Promise<void> {
  const { number } = await ensureLog(database, log)
  await database.execute(
    `INSERT INTO transparency.archive (number, place, manifest, size) VALUES ($1, $2, 0, 0) ON CONFLICT DO NOTHING`,
    [number, place],
  )
}

const OF_PLACE = 'transparency.log t WHERE t.number = archive.number AND log = $1 AND place = $2'

/** A run succeeded. */
export async function storeArchive(
  database: Queryable,
  log: string,
  { place, manifest, size }: Pick<KeptArchive, 'place' | 'manifest' | 'size'>,
): Promise<void> {
  await database.execute(
    `UPDATE transparency.archive SET manifest = $3, size = $4, made_at = now(), failure = NULL, failed_since = NULL FROM ${OF_PLACE}`,
    [log, place, manifest, size],
  )
}

/** A run failed, perhaps the first one. */
export async function storeArchiveFailure(
  database: Queryable,
  log: string,
  { place, failure }: { readonly place: string; readonly failure: string },
): Promise<void> {
  await database.execute(
    `UPDATE transparency.archive SET failure = $3, failed_since = coalesce(failed_since, now()) FROM ${OF_PLACE}`,
    [log, place, failure],
  )
}

/** Returns whether the archive was known. */
export async function retireArchive(database: Queryable, log: string, place: string): Promise<boolean> {
  const statement = `DELETE FROM transparency.archive USING ${OF_PLACE}`
  return (await database.execute(statement, [log, place])) > 0
}
