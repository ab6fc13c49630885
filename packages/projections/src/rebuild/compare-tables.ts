/** Compares two sets of tables: by digests, without moving their rows, and row by row where the digests differ. */
import type { Queryable } from '@cupel/postgres'
import type { ReadModel } from '../read-model.js'

export interface TableDigest {
  readonly table: string
  readonly rows: number
  /** Sums of the rows' hashes: independent of their order. */
  readonly digest: string
}

export interface TableComparison {
  readonly table: string
  readonly rowsBefore: number
  readonly rowsAfter: number
  /** Rows that exist on one side only. A changed row counts on both sides. */
  readonly rowsOnlyBefore: number
  readonly rowsOnlyAfter: number
  readonly isEqual: boolean
  /** The first rows that differ. */
  readonly different: readonly DifferentRow[]
}

export interface DifferentRow {
  /** The primary key, as `name=value`. */
  readonly key: string
  /** `missing`: the log states the row, and the table lacks it. `extra`: no record states the row. */
  readonly difference: 'missing' | 'extra' | 'other'
  /** Names of the columns with another value. */
  readonly columns: readonly string[]
  /** The latest time in the row as the log states it, or else as it is; null if it has none. */
  readonly since: string | null
}

/** ISO 8601: the latest time in the columns of a row that are named `at` or `…_at`; null if there is none. */
export function latestTimeIn(row: Readonly<Record<string, unknown>>): string | null {
  const times = Object.entries(row).flatMap(([name, value]) => {
    const time = /(?:^|_)at$/.test(name) && value !== null ? Date.parse(String(value)) : NaN
    return Number.isNaN(time) ? [] : [time]
  })
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString()
}

/**
 * Of a row `t`: whoever writes rows can choose texts that have the same fast hash. The binary form of a row takes a third of the time of
 * its text, in which each quote of a document is escaped.
 */
const ROW_HASH = 'sha256(record_send(t))'
/** The quarters of the hash of a row, each added up over all rows. */
const DIGEST = [0, 64, 128, 192]
  .map((bits) => `coalesce(sum((h << ${bits})::bit(64)::int8), 0)`)
  .join(` || ',' || `)

export async function digestTables(
  transaction: Queryable,
  readModel: ReadModel,
  schema: string,
): Promise<TableDigest[]> {
  await transaction.query('SET LOCAL statement_timeout = 0')
  const digests: TableDigest[] = []
  for (const table of readModel.tables) {
    if (!(await tableExists(transaction, schema, table))) continue
    const [row] = await transaction.query<{ rows: number; digest: string }>(
      `SELECT count(*) AS rows, ${DIGEST} AS digest
       FROM (SELECT ('x' || encode(${ROW_HASH}, 'hex'))::bit(256) AS h FROM ${await comparedRows(transaction, readModel, { schema, table })} t OFFSET 0) AS hashes`,
    )
    digests.push({ table, rows: row?.rows ?? 0, digest: row?.digest ?? '' })
  }
  return digests
}

/** The rows of a table without its MACs, as a source of a SELECT. */
async function comparedRows(
  transaction: Queryable,
  { macs }: ReadModel,
  { schema, table }: { readonly schema: string; readonly table: string },
): Promise<string> {
  if (macs?.table !== table) return `${schema}.${table}`
  const columns = await transaction.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attname <> $2 ORDER BY attnum`,
    [`${schema}.${table}`, macs.column],
  )
  return `(SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${schema}.${table})`
}

/** Whether both sides have the same tables with the same rows. */
export function areEqual(before: readonly TableDigest[], after: readonly TableDigest[]): boolean {
  const textOf = (digests: readonly TableDigest[]): string => JSON.stringify(digests)
  return textOf(before) === textOf(after)
}

export function equalTables(digests: readonly TableDigest[]): TableComparison[] {
  return digests.map(({ table, rows }) => ({
    ...{
      table,
      rowsBefore: rows,
      rowsAfter: rows,
      rowsOnlyBefore: 0,
      rowsOnlyAfter: 0,
      isEqual: true,
      different: [],
    },
  }))
}

/** Compares row by row. A table that exists on one side only is never equal. */
export async function countDifferences(
  transaction: Queryable,
  readModel: ReadModel,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<TableComparison[]> {
  await transaction.query('SET LOCAL statement_timeout = 0')
  const comparisons: TableComparison[] = []
  for (const table of readModel.tables) {
    const hasOld = await tableExists(transaction, before, table)
    const hasNew = await tableExists(transaction, after, table)
    const [oldRows, newRows] = [
      await comparedRows(transaction, readModel, { schema: before, table }),
      await comparedRows(transaction, readModel, { schema: after, table }),
    ]
    const hashes = (rows: string, exists: boolean): string =>
      exists ? `SELECT ${ROW_HASH} FROM ${rows} t` : `SELECT ''::bytea WHERE false`
    const [old, fresh] = [hashes(oldRows, hasOld), hashes(newRows, hasNew)]
    const [row] = await transaction.query<Counts>(
      `SELECT (SELECT count(*) FROM (${old}) t) AS rows_before, (SELECT count(*) FROM (${fresh}) t) AS rows_after,
         (SELECT count(*) FROM (${old} EXCEPT ALL ${fresh}) t) AS only_before,
         (SELECT count(*) FROM (${fresh} EXCEPT ALL ${old}) t) AS only_after`,
    )
    const counts = row!
    const isSame = counts.only_before === 0 && counts.only_after === 0
    comparisons.push({
      ...{ table, rowsBefore: counts.rows_before, rowsAfter: counts.rows_after },
      ...{ rowsOnlyBefore: counts.only_before, rowsOnlyAfter: counts.only_after },
      isEqual: hasOld && hasNew && isSame,
      different:
        hasOld && hasNew && !isSame
          ? await differentRows(transaction, { oldRows, newRows, keysOf: `${after}.${table}` })
          : [],
    })
  }
  return comparisons
}

type Row = Readonly<Record<string, unknown>>

/** Rows that are read of each side to name what differs. */
const MAX_ROWS = 100

async function differentRows(
  transaction: Queryable,
  {
    oldRows,
    newRows,
    keysOf,
  }: { readonly oldRows: string; readonly newRows: string; readonly keysOf: string },
): Promise<readonly DifferentRow[]> {
  const keys = await transaction.query<{ name: string }>(
    `SELECT attname AS name FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
     WHERE indrelid = $1::regclass AND indisprimary ORDER BY attnum`,
    [keysOf],
  )
  const keyOf = (row: Row): string => keys.map(({ name }) => `${name}=${String(row[name])}`).join(', ')
  const only = async (one: string, other: string): Promise<Map<string, Row>> => {
    const rows = await transaction.query<{ row: Row }>(
      `SELECT to_jsonb(t) AS row FROM ${one} t WHERE ${ROW_HASH} IN
         (SELECT ${ROW_HASH} FROM ${one} t EXCEPT SELECT ${ROW_HASH} FROM ${other} t)
       ORDER BY ${keys.map(({ name }) => `t.${name}`).join(', ')} LIMIT ${MAX_ROWS}`,
    )
    return new Map(rows.map(({ row }) => [keyOf(row), row]))
  }
  const [olds, news] = [await only(oldRows, newRows), await only(newRows, oldRows)]
  return [...new Set([...news.keys(), ...olds.keys()])].map((key): DifferentRow => {
    const [old, fresh] = [olds.get(key), news.get(key)]
    const since = latestTimeIn((fresh ?? old)!)
    if (old === undefined) return { key, difference: 'missing', columns: [], since }
    if (fresh === undefined) return { key, difference: 'extra', columns: [], since }
    const columns = Object.keys(fresh).filter(
      (name) => JSON.stringify(fresh[name]) !== JSON.stringify(old[name]),
    )
    return { key, difference: 'other', columns, since }
  })
}

interface Counts extends Record<string, unknown> {
  readonly rows_before: number
  readonly rows_after: number
  readonly only_before: number
  readonly only_after: number
}

async function tableExists(transaction: Queryable, schema: string, table: string): Promise<boolean> {
  const rows = await transaction.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
    schema,
    table,
  ])
  return rows.length > 0
}
