/** The archives of the log, in rows that `cupel status`, `cupel doctor` and the projector read: the timer that makes them may be gone. */
import type { Queryable } from '@cupel/postgres'
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
  /** Time since the last run that succeeded, in milliseconds. */
  readonly madeAgeMs: number
  /** A sentence that says why the last run failed; null if it did not. */
  readonly failure: string | null
}

/** A timer makes archives at least every day. */
const MAX_ARCHIVE_AGE_MS = 48 * 3_600_000
const MS_PER_HOUR = 3_600_000

export async function readArchives(database: Queryable, log: string): Promise<readonly KeptArchive[]> {
  return await database.query<KeptArchive>(
    `SELECT place, manifest, a.size, greatest(0, t.size - a.size) AS behind, failure,
       greatest(0, extract(epoch FROM now() - made_at) * 1000)::float8 AS "madeAgeMs"
     FROM transparency.archive a JOIN transparency.log t USING (number) WHERE log = $1 ORDER BY place`,
    [log],
  )
}

/** A sentence; null if the archive is kept. One that lacks nothing is never stale. */
export function archiveFault({ place, behind, madeAgeMs, failure }: KeptArchive): string | null {
  if (failure !== null) return `The last run of \`cupel archive create ${place}\` failed: ${failure}`
  if (behind === 0 || madeAgeMs <= MAX_ARCHIVE_AGE_MS) return null
  return `The archive ${place} was made ${Math.floor(madeAgeMs / MS_PER_HOUR)} h ago, and lacks the records of ${behind} leaves.`
}

/** A run succeeded. */
export async function storeArchive(
  database: Queryable,
  log: string,
  { place, manifest, size }: Pick<KeptArchive, 'place' | 'manifest' | 'size'>,
): Promise<void> {
  const { number } = await ensureLog(database, log)
  await database.execute(
    `INSERT INTO transparency.archive (number, place, manifest, size, made_at) VALUES ($1, $2, $3, $4, now())
     ON CONFLICT (number, place) DO UPDATE SET manifest = $3, size = $4, made_at = now(), failure = NULL`,
    [number, place, manifest, size],
  )
}

/** Does nothing if no run of this archive ever succeeded. */
export async function storeArchiveFailure(
  database: Queryable,
  log: string,
  { place, failure }: { readonly place: string; readonly failure: string },
): Promise<void> {
  await database.execute(
    `UPDATE transparency.archive SET failure = $3 FROM transparency.log t
     WHERE t.number = archive.number AND log = $1 AND place = $2`,
    [log, place, failure],
  )
}

/** Returns whether the archive was known. */
export async function retireArchive(database: Queryable, log: string, place: string): Promise<boolean> {
  const gone = await database.query(
    `DELETE FROM transparency.archive a USING transparency.log t
     WHERE t.number = a.number AND log = $1 AND place = $2 RETURNING place`,
    [log, place],
  )
  return gone.length > 0
}
