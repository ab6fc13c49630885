/**
 * The walls between tenants behind the condition of each query. The statement runs in a role to which the database shows the
 * rows of this tenant alone (docs/adr/0150), and what came back is looked at. None relies on another.
 */
import type { Queryable, Statement } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'

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
  const own = typeof statement === 'string' ? { text: statement } : statement
  const rows = await database.query<R>({ ...own, scope: tenantScope(tenant) }, values)
  for (const { account_id: accountId, livemode } of rows) {
    // Whose row it is stays out of the message: messages are logged under the call of the other one.
    if (accountId !== tenant.accountId || livemode !== tenant.livemode)
      throw new ForeignRowError('A query of the read store brought a row of another tenant')
  }
  return rows
}
