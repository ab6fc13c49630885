/**
 * Two more walls between tenants besides the condition of each query. The statement runs in a role that sees only the rows
 * of this tenant (docs/adr/0150), and the returned rows are checked. Each wall works without the others.
 */
import { asFields, type Queryable, type Statement } from '@cupel/postgres'
import { tenantScope } from './tenant-walls.js'

/** An account in one of its two environments; it sees only its own rows. */
export interface Tenant {
  readonly accountId: string
  readonly livemode: boolean
}

/** The tenant of a row, from its table: a statement for `queryTenant` must select these, never its parameters. */
export const TENANT_FIELDS = asFields('account_id, livemode')

/** A query returned a row of another tenant, or a row without a tenant. This is a defect of Cupel, not an error of the caller. */
export class ForeignRowError extends Error {
  override readonly name = 'ForeignRowError'
}

/** Returns only rows of this tenant. The statement must select TENANT_FIELDS. */
export async function queryTenant<R extends object>(
  database: Queryable,
  tenant: Tenant,
  statement: Statement | string,
  values: readonly unknown[],
): Promise<(R & Tenant)[]> {
  const own = typeof statement === 'string' ? { text: statement } : statement
  const rows = await database.query<R & Tenant>({ ...own, scope: tenantScope(tenant) }, values)
  for (const { accountId, livemode } of rows) {
    // Do not name the owner of the row: the message is logged with the call of another tenant.
    if (accountId !== tenant.accountId || livemode !== tenant.livemode)
      throw new ForeignRowError('A query of the read models returned a row of another tenant')
  }
  return rows
}
