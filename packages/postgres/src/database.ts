/** A pool of connections, statements that are prepared once, and transactions that name their failpoint. */
import { failpoint, type FailpointName } from '@cupel/kit/failpoints'
import pg from 'pg'
import { copyLines, copyOut, type BinaryRow } from './copy.js'
import { clientWithPasswordOf } from './renewed-password.js'
import { ScopedQuery, type StatementScope } from './scoped-query.js'
import { KEEP_ALIVE_MS, watchedClient } from './watched-client.js'

// The driver returns int8 as text. Offsets, counts and sequence numbers are far below 2^53; a larger value is an error.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond 2^53`)
  return value
})

export type Row = Record<string, unknown>

/** A statement with a name is prepared once per connection; hot statements have one. */
export interface Statement {
  readonly name?: string
  readonly text: string
  /** Role and settings of only this statement. Not allowed within a transaction, because they would outlast the statement. */
  readonly scope?: StatementScope
}

export interface Queryable {
  query<R extends object = Row>(statement: Statement | string, values?: readonly unknown[]): Promise<R[]>
  /** Number of rows an INSERT, UPDATE or DELETE touched. */
  execute(statement: Statement | string, values?: readonly unknown[]): Promise<number>
}

export interface Transaction extends Queryable {
  /** Stores lines in the text format of `COPY … FROM STDIN`, the given statement; resolves to their number. Bytes are UTF-8. */
  copy(statement: string, lines: string | Buffer): Promise<number>
}

export interface TransactionOptions {
  /** Every commit has a failpoint on both sides. */
  readonly at: FailpointName
  /** `off` only where a guarded position is lost together with the rows: in read models and imports of transfers. */
  readonly synchronousCommit?: 'on' | 'off'
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
}

export interface Database extends Queryable {
  transaction<T>(options: TransactionOptions, work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * The rows of `COPY … TO STDOUT (FORMAT binary)`, the given statement: for many bytes, which the text format doubles. The driver reads
   * binary answers only as text, except those of COPY.
   */
  copyOut(statement: string): Promise<readonly BinaryRow[]>
  /** Reserves one connection while `work` runs: for session advisory locks and cursors. */
  withConnection<T>(work: (connection: Queryable) => Promise<T>): Promise<T>
  readonly poolSize: { readonly total: number; readonly idle: number; readonly waiting: number }
  /** The options with which another thread opens the same database. */
  readonly connection: Pick<DatabaseOptions, 'connectionString' | 'connectionStringFile' | 'applicationName'>
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly connectionString: string
  /** File with a connection string, from which each new connection takes the password. */
  readonly connectionStringFile?: string | undefined
  readonly maxConnections: number
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  /** Time to obtain a connection before the call fails. */
  readonly connectTimeoutMs?: number
  /**
   * Server-side limit per statement, and for the time between two statements of a transaction; 0 for none (imports, rebuilds). The
   * connection of a server that is silent for a little longer is dropped.
   */
  readonly statementTimeoutMs?: number
  /** Called for errors of idle connections, for example when the server restarts. The pool reconnects. */
  readonly onIdleError?: (error: Error) => void
  /** Called before each request to the server, with the name of its statement, BEGIN, COMMIT, ROLLBACK, or UNNAMED. Must not throw. */
  readonly onRoundTrip?: (statement: string) => void
}

/** One name for all statements without a name. */
export const UNNAMED = 'unnamed'

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 60_000

export function openDatabase(options: DatabaseOptions): Database {
  const { connectionString, connectionStringFile, applicationName } = options
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  const Client = connectionStringFile === undefined ? pg.Client : clientWithPasswordOf(connectionStringFile)
  const pool = new pg.Pool({
    Client: watchedClient(Client, { statementTimeoutMs }),
    connectionString,
    max: options.maxConnections,
    application_name: applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    // A client that hangs or is gone holds its locks no longer than a statement may run.
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  // Without a listener the end of an idle connection would crash the process.
  pool.on('error', (error) => options.onIdleError?.(error))
  const { onRoundTrip = uncounted } = options

  return {
    ...queryable(pool, { canScope: true, onRoundTrip }),
    async transaction(transactionOptions, work) {
      const borrowed = await borrow(pool, options.onIdleError)
      return await runTransaction({ ...borrowed, onRoundTrip }, transactionOptions, work)
    },
    copyOut(statement) {
      onRoundTrip(UNNAMED)
      return copyOut(pool, statement)
    },
    async withConnection(work) {
      const { client, release } = await borrow(pool, options.onIdleError)
      try {
        const result = await work(queryable(client, { canScope: false, onRoundTrip }))
        release()
        return result
      } catch (error) {
        // The connection may hold a lock or be mid-transaction: end it, and do not return it to the pool.
        release(true)
        throw error
      }
    },
    get poolSize() {
      return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
    },
    connection: { connectionString, connectionStringFile, applicationName },
    close: () => pool.end(),
  }
}

interface Borrowed {
  readonly client: pg.PoolClient
  /** Returns the connection to the pool; with an error or true the pool drops it. */
  readonly release: (error?: Error | true) => void
}

/**
 * A connection for several statements. The pool does not listen to the errors of a borrowed connection. A connection that ends between
 * two statements, for example when the server is killed, would crash the process. With this listener the next statement fails instead.
 */
async function borrow(pool: pg.Pool, onError: DatabaseOptions['onIdleError']): Promise<Borrowed> {
  const client = await pool.connect()
  const listener = (error: Error): void => onError?.(error)
  client.on('error', listener)
  return {
    client,
    release(error) {
      client.off('error', listener)
      client.release(error)
    },
  }
}

const uncounted = (): void => undefined

async function runTransaction<T>(
  { client, release, onRoundTrip }: Borrowed & { readonly onRoundTrip: (statement: string) => void },
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const copy: Transaction['copy'] = (statement, lines) => {
    onRoundTrip(UNNAMED)
    return copyLines(client, statement, lines)
  }
  try {
    const isolation = options.isolation ? ` ISOLATION LEVEL ${options.isolation.toUpperCase()}` : ''
    const commit = options.synchronousCommit === 'off' ? '; SET LOCAL synchronous_commit = off' : ''
    onRoundTrip('BEGIN')
    await client.query(`BEGIN${isolation}${commit}`)
    const result = await work({ ...queryable(client, { canScope: false, onRoundTrip }), copy })
    failpoint('before', options.at)
    onRoundTrip('COMMIT')
    await client.query('COMMIT')
    failpoint('after', options.at)
    release()
    return result
  } catch (error) {
    try {
      onRoundTrip('ROLLBACK')
      await client.query('ROLLBACK')
      release()
    } catch (rollbackError) {
      // The connection is lost, and the server rolls back. The pool drops the connection; the caller gets the first error.
      release(rollbackError instanceof Error ? rollbackError : true)
    }
    throw error
  }
}

function queryable(
  client: pg.Pool | pg.PoolClient,
  { canScope, onRoundTrip }: { canScope: boolean; onRoundTrip: (statement: string) => void },
): Queryable {
  const run = (statement: Statement | string, values?: readonly unknown[]): Promise<pg.QueryResult> => {
    onRoundTrip(typeof statement === 'string' ? UNNAMED : (statement.name ?? UNNAMED))
    if (typeof statement !== 'string' && statement.scope !== undefined) {
      if (!canScope) throw new Error('A scoped statement cannot be part of a transaction')
      return runScoped(client as pg.Pool, statement, statement.scope, values)
    }
    const config: pg.QueryConfig =
      typeof statement === 'string' ? { text: statement } : { name: statement.name, text: statement.text }
    if (values !== undefined) config.values = values as unknown[]
    return client.query(config)
  }
  return {
    query: async <R extends object>(statement: Statement | string, values?: readonly unknown[]) =>
      (await run(statement, values)).rows as R[],
    execute: async (statement, values) => (await run(statement, values)).rowCount ?? 0,
  }
}

/** The pool accepts a query object of another class. */
function runScoped(
  pool: pg.Pool,
  { name, text }: Statement,
  scope: StatementScope,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult> {
  const config: pg.QueryConfig = { text, values: values as unknown[] }
  if (name !== undefined) config.name = name
  const query = new ScopedQuery(config, scope) as unknown as string
  return new Promise((resolve, reject) => {
    pool.query(query, [], (error: Error | undefined, result: pg.QueryResult) => {
      if (error) reject(error)
      else resolve(result)
    })
  })
}
