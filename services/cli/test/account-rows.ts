/** Accounts whose events a test appends by itself, as the services would have written them. */
import type { Queryable } from '@cupel/postgres'

export const ACCOUNT = { name: 'Account', createdAt: '2026-11-23T02:00:00.000Z', createdBy: 'test' }

export async function insertAccounts(database: Queryable, accountIds: readonly string[]): Promise<void> {
  await database.execute(
    `INSERT INTO access.account (account_id, name, created_at, created_by)
     SELECT id, $2, $3, $4 FROM unnest($1::text[]) AS id ON CONFLICT DO NOTHING`,
    [accountIds, ACCOUNT.name, ACCOUNT.createdAt, ACCOUNT.createdBy],
  )
}
