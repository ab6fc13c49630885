/**
 * A separate database for one test file or case, empty or cloned from a template that the run fills once. A clone costs 38 ms of processor
 * time; to empty the tables of one database between tests costs 101.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { migrate, openDatabase, readMigrations, type Database, type MigrationSource } from '@cupel/postgres'

export interface TestDatabase {
  readonly connectionString: string
  drop(): Promise<void>
}

export interface DatabaseTemplate {
  /** Identifies the content: two templates with equal keys are the same database. */
  readonly key: string
  /** Fills the empty template. It must leave no connection open. */
  fill(connectionString: string): Promise<void>
}

const PROVIDED = 'CUPEL_TEST_POSTGRES_URL'
const ADMIN_CONNECTIONS = 4

/** A template with the tables of the sources. */
export async function migratedTemplate(sources: readonly MigrationSource[]): Promise<DatabaseTemplate> {
  const migrations = await readMigrations(sources)
  return {
    key: JSON.stringify(migrations),
    async fill(connectionString) {
      const database = openDatabase({ connectionString, maxConnections: 1, applicationName: 'test-template' })
      await migrate(database, migrations)
      await database.close()
    },
  }
}

const admins = new Map<string, Database>()
/** Not counted as left open by a test file (scripts/test/leaves-nothing.mjs): connections, and the timer of each one that rests. */
Object.assign(globalThis, {
  [Symbol.for('cupel.test.shared')]: () => {
    const pools = [...admins.values()].map(({ poolSize }) => poolSize)
    return {
      connection: pools.reduce((sum, { total }) => sum + total, 0),
      timer: pools.reduce((sum, { idle }) => sum + idle, 0),
    }
  },
})

/** Shared by all databases of a process, because each connection costs some 15 ms of processor time. The pool ends with the process. */
function adminOf(server: string): Database {
  const known = admins.get(server)
  if (known !== undefined) return known
  const admin = openDatabase({
    connectionString: server,
    maxConnections: ADMIN_CONNECTIONS,
    applicationName: 'cupel-testkit',
    statementTimeoutMs: 0,
  })
  admins.set(server, admin)
  return admin
}

export async function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const server = process.env[PROVIDED]
  if (server === undefined)
    throw new Error(`${PROVIDED} is not set: this test belongs to a project with global-postgres`)
  const admin = adminOf(server)
  const name = `test_${randomBytes(8).toString('hex')}`
  if (template === undefined) await admin.execute(`CREATE DATABASE ${name}`)
  else {
    const filled = await filledTemplate(server, admin, template)
    // Copies the files. By default Postgres writes every page to its log, which takes twice as long.
    await admin.execute(`CREATE DATABASE ${name} TEMPLATE ${filled} STRATEGY FILE_COPY`)
  }
  return {
    connectionString: urlOf(server, name),
    async drop() {
      await untilLeft(admin, name)
      await admin.execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

const LOOK_MS = 2
const MOST_LOOKS = 25

/** A closed connection is gone within moments, but DROP DATABASE waits for it in steps of 100 ms. One that a test left open is cut off by it. */
async function untilLeft(admin: Database, name: string): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const found = await admin.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [name])
    if (found.length === 0) return
    await pause(LOOK_MS)
  }
}

/** A database with the tables of the sources, and a pool on it. */
export interface OpenTestDatabase {
  readonly connectionString: string
  readonly database: Database
  close(): Promise<void>
}

const CONNECTIONS = 8

export async function openTestDatabase(sources: readonly MigrationSource[] = []): Promise<OpenTestDatabase> {
  const template = sources.length === 0 ? undefined : await migratedTemplate(sources)
  const { connectionString, drop } = await createTestDatabase(template)
  const database = openDatabase({ connectionString, maxConnections: CONNECTIONS, applicationName: 'test' })
  return {
    ...{ connectionString, database },
    async close() {
      await database.close()
      await drop()
    },
  }
}

/** Runs one statement in a database of any server, as the user of the connection string. */
export async function executeAt(
  connectionString: string,
  statement: string,
  values: readonly unknown[],
): Promise<void> {
  await withDatabase(connectionString, (database) => database.execute(statement, values))
}

/** The rows of one query in such a database. */
export async function queryAt<T extends object>(connectionString: string, query: string): Promise<T[]> {
  return await withDatabase(connectionString, (database) => database.query<T>(query))
}

async function withDatabase<T>(
  connectionString: string,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase({
    ...{ connectionString, maxConnections: 1 },
    ...{ applicationName: 'cupel-testkit', statementTimeoutMs: 0 },
  })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/**
 * Name of the template. The first caller of the run fills it while the others wait for a lock. It gets this name only once
 * it is full, so that a caller that dies leaves no half-filled template behind.
 */
async function filledTemplate(server: string, admin: Database, template: DatabaseTemplate): Promise<string> {
  const name = `template_${createHash('sha256').update(template.key).digest('hex').slice(0, 24)}`
  await admin.withConnection(async (connection) => {
    await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name])
    const known = await connection.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (known.length === 0) {
      const half = `half_${randomBytes(8).toString('hex')}`
      await connection.execute(`CREATE DATABASE ${half}`)
      await template.fill(urlOf(server, half))
      await connection.execute(`ALTER DATABASE ${half} RENAME TO ${name}`)
    }
    await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name])
  })
  return name
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.toString()
}
