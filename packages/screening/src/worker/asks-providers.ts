/** The accounts whose addresses no provider may learn, by the choice of the operator. */
import { sqlState, type Queryable } from '@cupel/postgres'

/** Those of these accounts that never ask a provider. An account without a row never asks: its choice is unknown. */
export async function neverAsking(
  database: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database
    .query<{ account_id: string }>(
      {
        name: 'access.never-asking',
        text: `SELECT asked.account_id FROM unnest($1::text[]) asked (account_id) LEFT JOIN access.account USING (account_id)
          WHERE asks_providers IS NOT TRUE`,
      },
      [accountIds],
    )
    .catch((error: unknown) => {
      // Without a table of accounts nobody made the choice.
      if (sqlState(error) === UNDEFINED_TABLE) return []
      throw error
    })
  return new Set(rows.map(({ account_id: id }) => id))
}

const UNDEFINED_TABLE = '42P01'
