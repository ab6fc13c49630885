/** Erases the personal data of an account in these tables, except its keys. */
import type { Queryable } from '@cupel/postgres'

/** Revoked keys and the account itself stay, without names: events name them by id. `word` replaces each name. */
export async function forgetAccount(transaction: Queryable, accountId: string, word: string): Promise<void> {
  await transaction.execute(
    `UPDATE access.account SET name = $2, created_by = $2 WHERE account_id = $1 AND (name, created_by) <> ($2, $2)`,
    [accountId, word],
  )
  await transaction.execute(
    `UPDATE access.api_key SET name = CASE name WHEN '' THEN '' ELSE $2 END, issued_by = $2, allowed_ips = '{}'
     WHERE account_id = $1`,
    [accountId, word],
  )
  await transaction.execute(
    'DELETE FROM access.session WHERE key_id IN (SELECT key_id FROM access.api_key WHERE account_id = $1)',
    [accountId],
  )
  await transaction.execute('DELETE FROM access.idempotency WHERE account_id = $1', [accountId])
}

export async function accountExists(database: Queryable, accountId: string): Promise<boolean> {
  const rows = await database.query('SELECT 1 FROM access.account WHERE account_id = $1', [accountId])
  return rows.length > 0
}
