/** The roles of the services on an existing Postgres: created, signed in, and the rights that each needs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureServiceRole } from '@cupel/local-stack'
import { openDatabase, sqlState, type Database } from '@cupel/postgres'
import { logServices, optionalServices, type DatabaseRights } from '@cupel/operation/connections'
import { ConfigError, type Config } from '@cupel/kit/service'
import { rightsOf } from './database-rights.js'

const INVALID_PASSWORD = '28P01'
const INVALID_AUTHORIZATION = '28000'

/** How one service connects, or how all do that share a role. */
export interface ServiceLogin {
  readonly url: string
  readonly role: string
  /** The setting or file that holds the password. */
  readonly source: string
  readonly rights: DatabaseRights
}

/** Empty if the services use the connection of the owner of the tables. Throws ConfigError if a file or a user is missing. */
export function serviceLogins(config: Config): readonly ServiceLogin[] {
  const { CUPEL_SERVICE_DATABASE_URLS: folder, CUPEL_DATABASE_URL: shared } = config
  if (config.CUPEL_DATABASE_ADMIN_URL === undefined) return []
  if (folder === undefined)
    return shared === undefined
      ? []
      : [loginOf(shared, { source: 'CUPEL_DATABASE_URL', rights: rightsOf(logServices, config) })]
  const others = optionalServices.filter((service) => existsSync(join(folder, service)))
  const logins = [...logServices, ...others].map((service) => {
    const path = join(folder, service)
    return loginOf(readUrl(path), { source: path, rights: rightsOf([service], config) })
  })
  if (new Set(logins.map(({ role }) => role)).size < logins.length)
    throw new ConfigError('Two services have one user in CUPEL_SERVICE_DATABASE_URLS: each has its own.')
  return logins
}

function readUrl(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`CUPEL_SERVICE_DATABASE_URLS: ${(error as Error).message}`)
  }
}

function loginOf(url: string, login: Pick<ServiceLogin, 'source' | 'rights'>): ServiceLogin {
  // A reason why the text is not one would repeat it, with its password.
  if (!URL.canParse(url)) throw new ConfigError(`${login.source} is not a connection string.`)
  const { username } = new URL(url)
  if (username === '')
    throw new ConfigError(`${login.source} names no user: services need a role of their own.`)
  return { ...login, url, role: decodeURIComponent(username) }
}

export type RoleState = 'missing' | 'other-attributes' | 'refused' | 'ready'

/** Whether the role exists as required, and signs in. Rejects if the server cannot be reached. */
export async function roleState(admin: Database, { role, url }: ServiceLogin): Promise<RoleState> {
  const [found] = await admin.query<{ isFit: boolean }>(
    `SELECT rolcanlogin AND NOT (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls) AS "isFit"
     FROM pg_roles WHERE rolname = $1`,
    [role],
  )
  if (found === undefined) return 'missing'
  if (!found.isFit) return 'other-attributes'
  return (await signsIn(url)) ? 'ready' : 'refused'
}

async function signsIn(url: string): Promise<boolean> {
  const database = openDatabase({
    connectionString: url,
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
export async function ensureLogin(admin: Database, { role, url }: ServiceLogin): Promise<void> {
  await ensureServiceRole(admin, decodeURIComponent(new URL(url).password), role)
}
