/** Ends the watches whose personal data is erased: those of an account, or of one of its customer references. */
import type { Queryable } from '@cupel/postgres'

/** Ended watches are no longer decided, and lose their reference. `word`: shown in its place. Nobody has read an entry. Returns their number. */
export async function endWatches(transaction: Queryable, accountId: string, word: string): Promise<number> {
  await transaction.execute('DELETE FROM watches.read_entry WHERE account_id = $1', [accountId])
  return await transaction.execute(
    `UPDATE watches.watch SET until = least(until, date_trunc('milliseconds', clock_timestamp())), due_at = NULL,
       reference = CASE WHEN reference IS NULL THEN NULL ELSE $2 END WHERE account_id = $1`,
    [accountId, word],
  )
}

/** The same for the watches whose reference is sealed under this key, and nothing else. */
export async function endWatchesOfReference(
  transaction: Queryable,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  word: string,
): Promise<number> {
  return await transaction.execute(
    `UPDATE watches.watch SET until = least(until, date_trunc('milliseconds', clock_timestamp())), due_at = NULL,
       reference = $3 WHERE ${IS_OF_REFERENCE}`,
    [accountId, keyId, word],
  )
}

/** The number of watches that this would end. */
export async function countWatchesOfReference(
  database: Queryable,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*) AS count FROM watches.watch
     WHERE ${IS_OF_REFERENCE} AND (until IS NULL OR until > clock_timestamp())`,
    [accountId, keyId],
  )
  return row!.count
}

/** A sealed text contains the id of its key. */
const IS_OF_REFERENCE = `account_id = $1 AND starts_with(reference, 'sealed1.' || $2 || '.')`
