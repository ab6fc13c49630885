/** Tells whether the database is older than the log: it would then hand out numbers and send messages a second time. */
import { findRestoration, restorationSentence } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { highestReportEpoch, NUMBERS_PER_EPOCH, type EpochDeps } from './epoch.js'

/**
 * Returns a sentence if the log was made from an archive and `cupel restore` has not run since, or if the log has epochs that the database
 * never gave out; null otherwise. A claim is in the database before it is in the log, so that only a database that was restored, or
 * promoted too early, is behind. Each API claims an epoch every hour (EPOCH_RENEWAL_MS): a backup that is younger than the last claim is
 * not noticed.
 */
export async function databaseBehindLog(
  deps: Pick<EpochDeps, 'log' | 'codec'> & { readonly database: Queryable },
): Promise<string | null> {
  const restoration = await findRestoration(deps.database)
  if (restoration !== null) return restorationSentence(restoration)
  // The log is read first: a claim made between the two reads is in both or only in the database.
  const highest = await highestReportEpoch(deps)
  const [row] = await deps.database.query<{ next: string }>(
    'SELECT next::text AS next FROM access.report_number',
  )
  const next = BigInt(row?.next ?? '0')
  if (next >= BigInt(highest + 1) * NUMBERS_PER_EPOCH) return null
  return 'The log tells of report numbers that this database never gave out: an older database was restored, or a replica was promoted that lacked the last changes. Run `cupel restore --dry-run`, then `cupel restore`.'
}
