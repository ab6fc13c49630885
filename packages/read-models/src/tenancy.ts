/**
 * The second wall between tenants. The first is the condition of each query; this one looks at what came back. Neither relies
 * on the other: a query that lost its condition fails here, before anything of the row can leave (docs/adr/0097).
 */
import type { Queryable, Statement } from '@cupel/postgres'

/** An account in one of its two environments: nobody sees the rows of another one. */
export interface Tenant {
  readonly accountId: string
  readonly livemode: boolean
}

/** Whose row it is, as the table says. */
export interface TenantRow extends Record<string, unknown> {
  readonly account_id: string
  readonly livemode: boolean
}

/** A query brought rows of another tenant, or rows that do not say whose they are. It is a defect, never a caller's fault. */
export class ForeignRowError extends Error {
  override readonly name = 'ForeignRowError'
}

/** Rows of this tenant alone. The statement selects `account_id` and `livemode` from the table, not from its parameters. */
export async function queryTenant<R extends TenantRow>(
  database: Queryable,
  tenant: Tenant,
  statement: Statement | string,
  values: readonly unknown[],
): Promise<R[]> {
  const rows = await database.query<R>(statement, values)
  for (const { account_id: accountId, livemode } of rows) {
    // Whose row it is stays out of the message: messages are logged under the call of the other one.
    if (accountId !== tenant.accountId || livemode !== tenant.livemode)
      throw new ForeignRowError('A query of the read store brought a row of another tenant')
  }
  return rows
}
