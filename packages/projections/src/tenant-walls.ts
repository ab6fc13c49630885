/**
 * Row security on the tables of read models: a role that sees the rows of one account in one of its environments, those of
 * nobody where none is named, and nothing else of the database. Services that write are owners and not bound by it (docs/adr/0150).
 */
import { sqlState, type Queryable, type StatementScope } from '@cupel/postgres'

/** Shared by all databases of a server, and without a login. */
export const TENANT_ROLE = 'cupel_tenant'

const ACCOUNT = 'cupel.account_id'
const LIVEMODE = 'cupel.livemode'

/** What a statement runs under that reads for this account and environment. */
export function tenantScope(tenant: { accountId: string; livemode: boolean }): StatementScope {
  return {
    role: TENANT_ROLE,
    settings: { [ACCOUNT]: tenant.accountId, [LIVEMODE]: String(tenant.livemode) },
  }
}

/**
 * Creates the role where it is missing and lets this user act in it. Where this user may do neither, an administrator does it
 * once; the error says how.
 */
export async function ensureTenantRole(transaction: Queryable): Promise<void> {
  const [known] = await transaction.query<{ exists: boolean; usable: boolean }>(ROLE_STATE, [TENANT_ROLE])
  if (known?.usable === true) return
  try {
    // Another database of this server may create it in the same moment.
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
 * Walls every table of the schema that says whose its rows are; all others stay closed to the role. What is there already is
 * left alone, so that a start, or a backup restored without its roles, ends with every wall in place.
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
