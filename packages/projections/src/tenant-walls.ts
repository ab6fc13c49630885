/**
 * Row security on every table whose rows belong to an account. A role sees the rows of one account in one of its environments. It sees
 * no rows if no account is named, and nothing else of the database. Statements that write for every account run in the role of their
 * service, to which another policy shows every row (docs/adr/0150). No role needs an attribute that only a superuser may give.
 */
import { sqlState, type Database, type Queryable, type StatementScope } from '@cupel/postgres'

/** Shared by all databases of a server; it cannot log in. */
export const TENANT_ROLE = 'cupel_tenant'
/** The group of the roles of services, likewise. It has no right; row security does not restrict its members. */
export const EVERY_ROW_ROLE = 'cupel_every_row'

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
 * Creates both roles if they are missing, and lets this user act as a tenant. If this user may not, an administrator does it
 * once; the error message says how.
 */
export async function ensureWallRoles(transaction: Queryable): Promise<void> {
  if (await hasWallRoles(transaction)) return
  try {
    for (const role of [TENANT_ROLE, EVERY_ROW_ROLE])
      // A process on another database of this server may create the role at the same moment.
      if (!(await stateOf(transaction, role)).exists)
        await transaction.execute(
          `DO $$ BEGIN CREATE ROLE ${role} NOLOGIN;
           EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
        )
    if (!(await stateOf(transaction, TENANT_ROLE)).usable)
      await transaction.execute(`GRANT ${TENANT_ROLE} TO CURRENT_USER`)
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    throw new Error(
      `The database user may not create the roles ${TENANT_ROLE} and ${EVERY_ROW_ROLE}, or act in the first. An administrator does it once: CREATE ROLE ${TENANT_ROLE} NOLOGIN; CREATE ROLE ${EVERY_ROW_ROLE} NOLOGIN; GRANT ${TENANT_ROLE}, ${EVERY_ROW_ROLE} TO <the owner of the tables> WITH ADMIN OPTION;`,
      { cause: error },
    )
  }
}

const hasWallRoles = async (transaction: Queryable): Promise<boolean> =>
  (await stateOf(transaction, TENANT_ROLE)).usable && (await stateOf(transaction, EVERY_ROW_ROLE)).exists

async function stateOf(transaction: Queryable, role: string): Promise<RoleState> {
  const [state] = await transaction.query<RoleState>(ROLE_STATE, [role])
  return state!
}

interface RoleState extends Record<string, unknown> {
  readonly exists: boolean
  readonly usable: boolean
}

const INSUFFICIENT_PRIVILEGE = '42501'
const ROLE_STATE = `SELECT count(*) > 0 AS exists, coalesce(bool_and(pg_has_role(oid, CASE
    WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)), false) AS usable
  FROM pg_roles WHERE rolname = $1`

/** Raises the walls on all tables of the installation, after its migrations. Safe to repeat. */
export async function installTenantWalls(database: Database): Promise<void> {
  await database.transaction({ at: 'projector.install-tables' }, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', ['cupel.tenant-walls'])
    await ensureWallRoles(transaction)
    await raiseTenantWalls(transaction)
  })
}

interface Unwalled {
  /** As SQL. */
  readonly table: string
  readonly schema: string
  readonly columns: readonly string[]
  /** For a part of another row: that row's table and the columns that name it. */
  readonly whole: { readonly table: string; readonly key: string; readonly reference: string } | null
}

/**
 * Adds row security to every table of the schema, or of all schemas, that has an account column, and to tables of their parts: rows that
 * end with such a row. Existing policies stay. Every start thus ends with row security in place, also after a backup was restored without its roles.
 */
export async function raiseTenantWalls(transaction: Queryable, schema: string | null = null): Promise<void> {
  for (const unwalled of await transaction.query<Unwalled>(UNWALLED, [schema, TENANT_ROLE])) {
    const { table } = unwalled
    await transaction.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    await transaction.query(`DROP POLICY IF EXISTS own_rows ON ${table}`)
    await transaction.query(
      `CREATE POLICY own_rows ON ${table} FOR SELECT TO ${TENANT_ROLE} USING (${conditionOf(unwalled)})`,
    )
    await transaction.query(`DROP POLICY IF EXISTS every_row ON ${table}`)
    await transaction.query(`CREATE POLICY every_row ON ${table} TO ${EVERY_ROW_ROLE} USING (true)`)
    if (!isReadInScope(unwalled)) continue
    await transaction.query(`GRANT USAGE ON SCHEMA ${unwalled.schema} TO ${TENANT_ROLE}`)
    await transaction.query(`GRANT SELECT ON ${table} TO ${TENANT_ROLE}`)
  }
}

/** Tables without an environment hold keys, sessions and accounts: no statement of a tenant reads them, so the role may not. */
const isReadInScope = ({ columns }: Unwalled): boolean => columns.includes('livemode')

const ASKED_LIVEMODE = `(current_setting('${LIVEMODE}', true) = 'true')`

function conditionOf({ columns, whole }: Unwalled): string {
  // Row security of the other table decides.
  if (whole !== null)
    return `EXISTS (SELECT FROM ${whole.table} AS whole WHERE whole.${whole.key} = ${whole.reference})`
  return [
    `account_id = current_setting('${ACCOUNT}', true)`,
    ...(columns.includes('livemode') ? [`livemode = ${ASKED_LIVEMODE}`] : []),
    ...(columns.includes('environment')
      ? [`environment = CASE WHEN ${ASKED_LIVEMODE} THEN 'live' ELSE 'test' END`]
      : []),
  ].join(' AND ')
}

/** `columns` of a part are those of its whole. */
const UNWALLED = `
  WITH own AS (
    SELECT c.oid, array_agg(a.attname::text) AS columns FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname IN ('account_id', 'livemode', 'environment') AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace >= 16384 GROUP BY c.oid HAVING 'account_id' = ANY (array_agg(a.attname))
  ), walled AS (
    SELECT oid, columns, NULL::json AS whole FROM own
    UNION ALL
    SELECT f.conrelid, own.columns, json_build_object('table', f.confrelid::regclass::text,
      'key', (SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = f.confrelid AND attnum = f.confkey[1]),
      'reference', (SELECT f.conrelid::regclass || '.' || quote_ident(attname) FROM pg_attribute WHERE attrelid = f.conrelid AND attnum = f.conkey[1]))
    FROM pg_constraint AS f JOIN own ON own.oid = f.confrelid
    WHERE f.contype = 'f' AND f.confdeltype = 'c' AND cardinality(f.conkey) = 1 AND f.conrelid NOT IN (SELECT oid FROM own)
  )
  SELECT c.oid::regclass::text AS table, quote_ident(n.nspname) AS schema, w.columns, w.whole
  FROM walled AS w JOIN pg_class AS c USING (oid) JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE ($1::text IS NULL OR n.nspname = $1)
    AND NOT (c.relrowsecurity AND 2 = (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid AND polname IN ('own_rows', 'every_row'))
      AND ('livemode' <> ALL (w.columns) OR has_schema_privilege($2, n.oid, 'USAGE') AND has_table_privilege($2, c.oid, 'SELECT')))
  ORDER BY 1`
