/**
 * The role of the services in a local installation. It may only read and write rows and call functions: it is not a superuser, owns no table,
 * and cannot switch off a trigger or row security. Which rows, the installation says. Migrations and commands of the operator use the owner.
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

/** The role as an identifier in SQL, also inside a string. */
function quoted(role: string): string {
  if (!/^[A-Za-z0-9_.-]{1,63}$/.test(role))
    throw new Error(
      `The role ${role} has a name that the installation does not use: letters, digits, ".", "_" and "-" are.`,
    )
  return `"${role}"`
}
