/**
 * The role of the services in a local installation. It may only read and write rows and call functions: it is not a superuser, owns no table,
 * and cannot switch off a trigger or row security. Which rows, the installation says. Migrations and commands of the operator use the owner.
 */
import { sqlState, type Database } from '@cupel/postgres'

export const SERVICE_ROLE = 'cupel_service'
const DUPLICATE_OBJECT = '42710'
const INSUFFICIENT_PRIVILEGE = '42501'
/** Attributes that only a superuser may give or take on some servers. A service has none of them. */
const POWERS = [
  ['rolsuper', 'NOSUPERUSER'],
  ['rolcreatedb', 'NOCREATEDB'],
  ['rolcreaterole', 'NOCREATEROLE'],
  ['rolreplication', 'NOREPLICATION'],
  ['rolbypassrls', 'NOBYPASSRLS'],
] as const

/**
 * Creates the role, or gives the existing one the attributes of a service, and this password. Changes only what differs: an owner who is
 * no superuser may not even repeat an attribute. `admin` is a connection of the owner. Without a password, an existing role keeps its own.
 */
export async function ensureServiceRole(
  admin: Database,
  password: string,
  role = SERVICE_ROLE,
): Promise<void> {
  try {
    await settleRole(admin, password, role)
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    const without = POWERS.map(([, attribute]) => attribute).join(' ')
    throw new Error(
      `The owner of the tables may not create or change the role ${role} (${(error as Error).message}). An administrator does it: CREATE ROLE ${quoted(role)}, or ALTER ROLE, with LOGIN ${without} and the password of its connection string.`,
      { cause: error },
    )
  }
}

async function settleRole(admin: Database, password: string, role: string): Promise<void> {
  const name = quoted(role)
  try {
    await admin.execute(`CREATE ROLE ${name} LOGIN`)
  } catch (error) {
    if (sqlState(error) !== DUPLICATE_OBJECT) throw error
    const [held] = await admin.query<Readonly<Record<string, boolean>>>(
      `SELECT rolcanlogin, ${POWERS.map(([column]) => column).join()} FROM pg_roles WHERE rolname = $1`,
      [role],
    )
    const taken = POWERS.flatMap(([column, without]) => (held![column] === true ? [without] : []))
    const changed = held!['rolcanlogin'] === true ? taken : ['LOGIN', ...taken]
    if (changed.length > 0) await admin.execute(`ALTER ROLE ${name} ${changed.join(' ')}`)
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
