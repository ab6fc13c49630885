/** Ends the watches of an account whose personal data is erased. */
import type { Queryable } from '@cupel/postgres'

/** They are decided no more, and have no reference. `word`: what is shown in place of one. Returns their number. */
export async function endWatches(transaction: Queryable, accountId: string, word: string): Promise<number> {
  return await transaction.execute(
    `UPDATE watches.watch SET until = least(until, date_trunc('milliseconds', clock_timestamp())), due_at = NULL,
       reference = CASE WHEN reference IS NULL THEN NULL ELSE $2 END WHERE account_id = $1`,
    [accountId, word],
  )
}
