/**
 * Row security on the tables of read models. A role sees the rows of one account in one of its environments. It sees no rows if no
 * account is named, and nothing else of the database. Services that write own the tables and are not restricted (docs/adr/0150).
 */
import { sqlState, type Queryable, type StatementScope } from '@cupel/postgres'

/** Shared by all databases of a server; it cannot log in. */
export const TENANT_ROLE = 'cupel_tenant'

const ACCOUNT = 'cupel.account_id'
const LIVEMODE = 'cupel.livemode'

/** The settings of a statement that reads for this account and environment. */
export function tenantScope(tenant: { accountId: string; livemode: boolean }): StatementScope {
  return {
    role: TENANT_ROLE,
    settings: { [ACCOUNT]: tenant.accountId, [LIVEMODE]: String(tenant.livemode) },
  }
}

/**
 * Creates the role if it is missing and grants it to this user. If this user may do neither, an administrator does it
 * once; the error message says how.
 */
export async function ensureTenantRole(transaction: Queryable): Promise<void> {
  const [known] = await transaction.query<{ exists: boolean; usable: boolean }>(ROLE_STATE, [TENANT_ROLE])
  if (known?.usable === true) return
  try {
    // A process on another database of this server may create the role at the same moment.
    if (known?.exists !== true)
      await transaction.execute(
        `DO $$ BEGIN CREATE ROLE ${TENANT_ROLE} NOLOGIN;
         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
      )
    const [now] = await transaction.query<{ usable: boolean }>(ROLE_STATE, [TENANT_ROLE])
    if (now?.usable !== true) await transaction.execute(`GRANT ${TENANT_ROLE} TO CURRENT_USER`)
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    throw new Error(
      `The database user may not create the role ${TENANT_ROLE} or act in it. An administrator does it once: CREATE ROLE ${TENANT_ROLE} NOLOGIN; GRANT ${TENANT_ROLE} TO <the user of CUPEL_DATABASE_URL>;`,
      { cause: error },
    )
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'
const ROLE_STATE = `SELECT count(*) > 0 AS exists, coalesce(bool_and(pg_has_role(oid, CASE
    WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)), false) AS usable
  FROM pg_roles WHERE rolname = $1`

/**
 * Adds row security to every table of the schema that has account columns; the role cannot read any other table. Existing
 * policies stay. Every start thus ends with row security in place, also after a backup was restored without its roles.
 */
export async function raiseTenantWalls(transaction: Queryable, schema: string): Promise<void> {
  const tables = await transaction.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class AS c
     WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r'
       AND 2 = (SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid AND attname IN ('account_id', 'livemode') AND NOT attisdropped)
       AND NOT (c.relrowsecurity AND has_schema_privilege($2, c.relnamespace, 'USAGE') AND has_table_privilege($2, c.oid, 'SELECT')
         AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'own_rows'))
     ORDER BY c.relname`,
    [schema, TENANT_ROLE],
  )
  for (const { name } of tables) {
    const table = `${schema}."${name}"`
    await transaction.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    await transaction.query(`DROP POLICY IF EXISTS own_rows ON ${table}`)
    await transaction.query(
      `CREATE POLICY own_rows ON ${table} FOR SELECT TO ${TENANT_ROLE}
       USING (account_id = current_setting('${ACCOUNT}', true) AND livemode = (current_setting('${LIVEMODE}', true) = 'true'))`,
    )
    await transaction.query(`GRANT USAGE ON SCHEMA ${schema} TO ${TENANT_ROLE}`)
    await transaction.query(`GRANT SELECT ON ${table} TO ${TENANT_ROLE}`)
  }
}
