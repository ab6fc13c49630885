/** Instances of the API with a part that is down: a log that stalls, a database that fails, and one that cannot be reached. */
import type { EventLog } from '@cupel/event-log'
import { openDatabase, type Database } from '@cupel/postgres'
import type { ApiOptions, Installation } from './installation.js'

/** The log acknowledges only the appends of a start and of the audit log; it never acknowledges work. */
export function logThatStalls(log: EventLog): EventLog {
  const taken: ReadonlySet<string> = new Set(['api.report-epoch-claimed', 'api.request-audited'])
  return {
    ...log,
    append: (at, records) => (taken.has(at) ? log.append(at, records) : new Promise(() => undefined)),
  }
}

/** Once it serves, every database query fails except those that identify the caller and find sealing keys. Appends of screens fail too. */
export async function startBroken(
  { database, log }: Installation,
  start: (options: ApiOptions) => Promise<string>,
): Promise<string> {
  let isBroken = false
  const failing = (): Promise<never> => database.query('SELECT 1 / 0') as Promise<never>
  const broken = Object.create(database, {
    connection: { value: connectionTo(database, (url) => (url.pathname = '/no-such-database')) },
    query: {
      value: (statement: Parameters<Database['query']>[0], values: readonly unknown[]) => {
        const name = typeof statement === 'string' ? '' : statement.name
        const tellsCaller = ['access.admit_calls', 'access.resolve_sessions', 'personal-data.find-keys']
        return tellsCaller.includes(name ?? '') || !isBroken ? database.query(statement, values) : failing()
      },
    },
    transaction: {
      value: (...args: Parameters<Database['transaction']>) =>
        isBroken ? failing() : database.transaction(...args),
    },
  }) as Database
  const brokenLog: EventLog = {
    ...log,
    append(at, records) {
      if (isBroken && at === 'api.screen-requested') throw new Error('The log is broken')
      return log.append(at, records)
    },
  }
  const url = await start({ database: broken, log: brokenLog })
  isBroken = true
  return url
}

/** Once it serves, its connections to the store are closed. */
export async function startWithoutStore(
  { connectionString }: Installation,
  start: (options: ApiOptions) => Promise<string>,
): Promise<string> {
  const database = openDatabase({ connectionString, maxConnections: 4, applicationName: 'storeless' })
  // No server listens on this port: the thread of large reads opens its own connections.
  const connection = { value: connectionTo(database, (url) => (url.port = '1')) }
  const url = await start({ database: Object.create(database, { connection }) as Database })
  await database.close()
  return url
}

function connectionTo({ connection }: Database, change: (url: URL) => void): Database['connection'] {
  const url = new URL(connection.connectionString)
  change(url)
  return { ...connection, connectionString: url.href }
}
