/**
 * The role in which the services of a local installation work. It may read and write rows and call functions, and nothing else: it is no
 * superuser, owns no table, and cannot switch a trigger or row security off. Migrations and commands of the operator use the owner.
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sqlState, type Database } from '@cupel/postgres'
import { readText } from './folder.js'

export const SERVICE_ROLE = 'cupel_service'
/** Row security of the tenants is for callers. Services write rows of every account, so it does not bind their role. */
const ATTRIBUTES = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION BYPASSRLS'
const DUPLICATE_OBJECT = '42710'

/** The password of the role, made where there is none. Its file is open to its owner only. */
export async function servicePassword(folder: string): Promise<string> {
  const file = join(folder, 'service-password')
  const known = (await readText(file))?.trim()
  if (known !== undefined && known !== '') return known
  const password = randomBytes(24).toString('base64url')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return password
}

/** Creates the role, or gives the existing one these attributes and this password. `admin` is a connection of the owner. */
export async function ensureServiceRole(admin: Database, password: string): Promise<void> {
  try {
    await admin.execute(`CREATE ROLE ${SERVICE_ROLE} ${ATTRIBUTES}`)
  } catch (error) {
    if (sqlState(error) !== DUPLICATE_OBJECT) throw error
    await admin.execute(`ALTER ROLE ${SERVICE_ROLE} ${ATTRIBUTES}`)
  }
  // A password of this folder consists of letters, digits, "-" and "_"; the server keeps its SCRAM verifier.
  await admin.execute(`ALTER ROLE ${SERVICE_ROLE} PASSWORD '${password.replaceAll("'", "''")}'`)
}

/**
 * Opens every schema of the installation to the role, and those that the owner creates later, as a rebuild does. Run it in the database
 * after the migrations, at every start; then narrow what the role must not do. MAINTAIN: the projector takes statistics after imports.
 */
export async function openToServices(database: Database): Promise<void> {
  await database.execute(GRANTS)
}

/** One statement: either all of it holds or nothing. Two grants at once on one table would fail, so that they take turns. */
const GRANTS = `DO $$
  DECLARE own_schema name;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('cupel.grants', 0));
    ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO ${SERVICE_ROLE};
    ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE, MAINTAIN ON TABLES TO ${SERVICE_ROLE};
    ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO ${SERVICE_ROLE};
    FOR own_schema IN
      SELECT nspname FROM pg_namespace
      WHERE nspowner = current_user::regrole AND nspname NOT LIKE 'pg\\_%'
        AND nspname NOT IN ('information_schema', 'public')
    LOOP
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${SERVICE_ROLE}', own_schema);
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE, MAINTAIN ON ALL TABLES IN SCHEMA %I TO ${SERVICE_ROLE}', own_schema);
      EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO ${SERVICE_ROLE}', own_schema);
    END LOOP;
    -- A query of one tenant switches to that role; its rights come with the switch alone.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'cupel_tenant') THEN
      GRANT cupel_tenant TO ${SERVICE_ROLE} WITH INHERIT FALSE, SET TRUE;
    END IF;
  END $$`
