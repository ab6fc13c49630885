/** Ends the links of an account whose personal data is erased. */
import type { Queryable } from '@cupel/postgres'

/** From now on the links open nothing, and their recipients are not recorded. `word`: shown in place of the recipient. */
export async function forgetShares(transaction: Queryable, accountId: string, word: string): Promise<void> {
  await transaction.execute(
    `UPDATE sharing.share SET label = CASE label WHEN '' THEN '' ELSE $2 END, actor = CASE actor WHEN '' THEN '' ELSE $2 END,
       expires_at = least(expires_at, clock_timestamp()) WHERE account_id = $1`,
    [accountId, word],
  )
}
