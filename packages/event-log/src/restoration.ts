/** Marks a log that is being made from an archive. No service starts until database and log were brought together (docs/adr/0367). */
import type { Queryable } from '@cupel/postgres'
import type { LogIdentity } from './port.js'

export interface Restoration {
  /** Identity of the new log. */
  readonly log: LogIdentity
  /** Identity of the log that the archive holds. */
  readonly archive: LogIdentity
  /** Number of the last manifest. */
  readonly manifest: number
  /** Whether every record of the archive is in the log. */
  readonly isWhole: boolean
}

/** Null if no restoration is running. */
export async function findRestoration(database: Queryable): Promise<Restoration | null> {
  const [row] = await database.query<Restoration & Record<string, unknown>>(
    `SELECT log_id AS log, archive, manifest, is_whole AS "isWhole" FROM log.restoration
     ORDER BY is_whole, log_id LIMIT 1`,
  )
  return row ?? null
}

/** Called before the first record is written. A continued run takes over the row of the earlier one. */
export async function beginRestoration(
  database: Queryable,
  { log, archive, manifest }: Omit<Restoration, 'isWhole'>,
): Promise<void> {
  await database.execute(
    `INSERT INTO log.restoration (log_id, archive, manifest) VALUES ($1, $2, $3)
     ON CONFLICT (log_id) DO UPDATE SET archive = excluded.archive, manifest = excluded.manifest, is_whole = false`,
    [log, archive, manifest],
  )
}

export async function markRestorationWhole(database: Queryable, log: LogIdentity): Promise<void> {
  await database.execute('UPDATE log.restoration SET is_whole = true WHERE log_id = $1', [log])
}

/** Resolves to whether there was a restoration. */
export async function endRestoration(database: Queryable): Promise<boolean> {
  return (await database.execute('DELETE FROM log.restoration WHERE is_whole')) > 0
}

/** A sentence if the installation may not be started because its log is being made from an archive. */
export function restorationSentence({ isWhole }: Restoration): string {
  return isWhole
    ? 'The log was made from an archive, and the database does not know yet what it tells. Run `cupel restore --dry-run`, then `cupel restore`.'
    : 'The log is being made from an archive and is not whole yet: run `cupel archive restore` with the same archive again.'
}
