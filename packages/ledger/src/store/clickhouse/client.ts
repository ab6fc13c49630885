/** The connection to ClickHouse, by its official client. */
import { createClient, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client'

/** ClickHouse did not answer, or refused a statement: nothing is known of the transfers. */
export class LedgerStoreError extends Error {
  override readonly name = 'LedgerStoreError'
}

export interface ClickHouse {
  /** The rows of a statement, as texts; an unknown value is null. */
  rows(statement: string): Promise<readonly (readonly (string | null)[])[]>
  run(statement: string): Promise<void>
  /** Lines of the columns of the table. Resolves once the server has stored all of them. */
  insert(table: string, columns: readonly string[], lines: string): Promise<void>
  close(): Promise<void>
}

export interface ClickHouseOptions {
  /** `clickhouse://USER:PASSWORD@HOST:PORT/DATABASE`; `clickhouses://` for TLS. */
  readonly url: string
  /** The longest time of a statement. */
  readonly timeoutMs: number
}

const PROTOCOLS: Readonly<Record<string, string>> = { 'clickhouse:': 'http', 'clickhouses:': 'https' }
const PORTS: Readonly<Record<string, string>> = { http: '8123', https: '8443' }

/** Throws a RangeError for an address of anything else. */
export function clickHousePlace(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const scheme = PROTOCOLS[protocol]
  const database = pathname.slice(1)
  if (scheme === undefined) throw new RangeError('The address begins with clickhouse:// or clickhouses://')
  if (!/^[A-Za-z_]\w*$/.test(database))
    throw new RangeError('The address of ClickHouse ends with the name of a database')
  return {
    url: `${scheme}://${hostname}:${port || PORTS[scheme]}`,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    database,
  }
}

/** Whatever the profile of the user says: part of an answer is an error, and an insert is stored in all tables when it is acknowledged. */
const WHOLE: ClickHouseSettings = {
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  async_insert: 0,
  materialized_views_ignore_errors: 0,
}

/** Ids of a batch are in the text of its statement. */
const MAX_STATEMENT_BYTES = 256 * 1024 ** 2

/** Creates the database that the address names, if the server does not have it. */
export async function createLedgerDatabase({ url, timeoutMs }: ClickHouseOptions): Promise<void> {
  const { database, ...place } = clickHousePlace(url)
  const client = createClient({ ...place, request_timeout: timeoutMs, log: { level: 127 } })
  try {
    await answered(
      async () => void (await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` })),
    )
  } finally {
    await client.close()
  }
}

export function openClickHouse({ url, timeoutMs }: ClickHouseOptions): ClickHouse {
  const client = createClient({
    ...clickHousePlace(url),
    application: 'cupel',
    request_timeout: timeoutMs,
    // The server ends what nobody waits for any more.
    clickhouse_settings: {
      ...WHOLE,
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      max_query_size: String(MAX_STATEMENT_BYTES),
      wait_end_of_query: 1,
    },
    log: { level: 127 },
  })
  return {
    rows: async (query) =>
      await answered(async () => {
        const found = await client.query({ query, format: 'TabSeparated' })
        return linesOf(await found.text())
      }),
    run: async (query) => await answered(async () => void (await client.command({ query }))),
    insert: async (table, columns, lines) => await answered(() => insert(client, { table, columns, lines })),
    close: async () => await client.close(),
  }
}

async function insert(
  client: ClickHouseClient,
  { table, columns, lines }: { table: string; columns: readonly string[]; lines: string },
): Promise<void> {
  // `exec` would leave the answer unread, and its socket in use.
  await client.command({
    query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT TabSeparated\n${lines}`,
  })
}

async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    const { message } = cause as Error
    throw new LedgerStoreError(`ClickHouse did not answer: ${message.slice(0, 500)}`, { cause })
  }
}

const NULL = String.raw`\N`

function linesOf(text: string): readonly (readonly (string | null)[])[] {
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line) => line.split('\t').map((value) => (value === NULL ? null : value)))
}
