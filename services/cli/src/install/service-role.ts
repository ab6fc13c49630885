/** The role of the services on an existing Postgres: created, signed in, with only the rights it needs. */
import { logGrants } from '@cupel/event-log/embedded'
import { ensureServiceRole, openToServices } from '@cupel/local-stack'
import { openDatabase, sqlState, type Database } from '@cupel/postgres'
import { ConfigError } from '@cupel/service-kit'

const INVALID_PASSWORD = '28P01'
const INVALID_AUTHORIZATION = '28000'

export interface ServiceLogin {
  readonly role: string
  readonly password: string
}

/** The user of CUPEL_DATABASE_URL. Throws ConfigError if it names none. */
export function loginOf(serviceUrl: string): ServiceLogin {
  const { username, password } = new URL(serviceUrl)
  if (username === '')
    throw new ConfigError('CUPEL_DATABASE_URL names no user: services need a role of their own.')
  return { role: decodeURIComponent(username), password: decodeURIComponent(password) }
}

export type RoleState = 'missing' | 'other-attributes' | 'refused' | 'ready'

/** Whether the role exists as required, and signs in. Rejects if the server cannot be reached. */
export async function roleState(admin: Database, serviceUrl: string): Promise<RoleState> {
  const { role } = loginOf(serviceUrl)
  const [found] = await admin.query<{ isFit: boolean }>(
    `SELECT rolcanlogin AND rolbypassrls AND NOT (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication) AS "isFit"
     FROM pg_roles WHERE rolname = $1`,
    [role],
  )
  if (found === undefined) return 'missing'
  if (!found.isFit) return 'other-attributes'
  return (await signsIn(serviceUrl)) ? 'ready' : 'refused'
}

async function signsIn(serviceUrl: string): Promise<boolean> {
  const database = openDatabase({
    connectionString: serviceUrl,
    maxConnections: 1,
    applicationName: 'cupel-install',
    onIdleError: () => undefined,
  })
  try {
    await database.query('SELECT 1')
    return true
  } catch (error) {
    const state = sqlState(error)
    if (state === INVALID_PASSWORD || state === INVALID_AUTHORIZATION) return false
    throw error
  } finally {
    await database.close()
  }
}

/** Creates the role, or gives the existing one its attributes and the password of the connection string. */
export async function ensureLogin(admin: Database, serviceUrl: string): Promise<void> {
  const { role, password } = loginOf(serviceUrl)
  await ensureServiceRole(admin, password, role)
}

/** Tables of the installation that the role cannot read; null if it may do everything it needs. */
export async function missingRights(admin: Database, role: string): Promise<string | null> {
  const [row] = await admin.query<{ missing: number; sample: string | null }>(
    `SELECT count(*) AS missing, min(c.oid::regclass::text) AS sample FROM pg_class c
     JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspowner = current_user::regrole AND c.relkind IN ('r', 'p', 'S')
       AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'public')
       AND NOT (has_schema_privilege($1, n.oid, 'USAGE') AND CASE c.relkind
         WHEN 'S' THEN has_sequence_privilege($1, c.oid, 'USAGE')
         ELSE has_table_privilege($1, c.oid, CASE n.nspname WHEN 'log' THEN 'SELECT' ELSE 'SELECT, INSERT' END) END)`,
    [role],
  )
  return row!.missing > 0 ? `${row!.missing} tables, as ${row!.sample}` : null
}

export async function grantRights(admin: Database, role: string): Promise<void> {
  await openToServices(admin, logGrants(role), role)
}
