/**
 * The role of the services in a local installation. It may only read and write rows and call functions: it is not a superuser, owns no table,
 * and cannot switch off a trigger or row security. Migrations and commands of the operator use the owner.
 */
import { sqlState, type Database } from '@cupel/postgres'

export const SERVICE_ROLE = 'cupel_service'
/** Row security of the tenants is for callers. Services write rows of every account, so it does not bind their role. */
const ATTRIBUTES = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION BYPASSRLS'
const DUPLICATE_OBJECT = '42710'

/**
 * Creates the role, or gives the existing one these attributes and this password. `admin` is a connection of the owner. Without a password,
 * an existing role keeps its own.
 */
export async function ensureServiceRole(
  admin: Database,
  password: string,
  role = SERVICE_ROLE,
): Promise<void> {
  const name = quoted(role)
  try {
    await admin.execute(`CREATE ROLE ${name} ${ATTRIBUTES}`)
  } catch (error) {
    if (sqlState(error) !== DUPLICATE_OBJECT) throw error
    await admin.execute(`ALTER ROLE ${name} ${ATTRIBUTES}`)
  }
  // The server keeps the SCRAM verifier of the password.
  if (password !== '') await admin.execute(`ALTER ROLE ${name} PASSWORD '${password.replaceAll("'", "''")}'`)
}

/**
 * Opens every schema of the installation to the role, and those that the owner creates later, as a rebuild does. Run it in the database
 * after the migrations, at every start. `narrowing` are statements that revoke rights the role must not have. All of it is one statement,
 * so that no session ever sees the role with more rights.
 */
export async function openToServices(
  database: Database,
  narrowing: readonly string[] = [],
  role = SERVICE_ROLE,
): Promise<void> {
  await database.execute(`DO $$${[grantsTo(quoted(role)), ...narrowing].join(';\n')}; END $$`)
}

/** Two concurrent grants on one table would fail, so they take turns. MAINTAIN: the projector collects statistics after imports. */
const grantsTo = (role: string): string => `
  DECLARE
    own_schema name;
    version int := current_setting('server_version_num')::int;
    on_tables text := 'SELECT, INSERT, UPDATE, DELETE' || CASE WHEN version >= 170000 THEN ', MAINTAIN' ELSE '' END;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('cupel.grants', 0));
    ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO ${role};
    EXECUTE format('ALTER DEFAULT PRIVILEGES GRANT %s ON TABLES TO ${role}', on_tables);
    ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO ${role};
    FOR own_schema IN
      SELECT nspname FROM pg_namespace
      WHERE nspowner = current_user::regrole AND nspname NOT LIKE 'pg\\_%'
        AND nspname NOT IN ('information_schema', 'public')
    LOOP
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${role}', own_schema);
      EXECUTE format('GRANT %s ON ALL TABLES IN SCHEMA %I TO ${role}', on_tables, own_schema);
      EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO ${role}', own_schema);
    END LOOP;
    -- A query of one tenant switches to that role; its rights come with the switch alone, where the server knows the difference.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'cupel_tenant') THEN
      EXECUTE 'GRANT cupel_tenant TO ${role}' || CASE WHEN version >= 160000 THEN ' WITH INHERIT FALSE, SET TRUE' ELSE '' END;
    END IF`

/** The role as an identifier in SQL, also inside a string. */
function quoted(role: string): string {
  if (!/^[A-Za-z0-9_.-]{1,63}$/.test(role))
    throw new Error(
      `The role ${role} has a name that the installation does not use: letters, digits, ".", "_" and "-" are.`,
    )
  return `"${role}"`
}
