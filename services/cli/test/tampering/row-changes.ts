/** Draws what somebody with the owner's account of the database does to one row: any row, any column, any value that its type allows. */
import type { Queryable } from '@cupel/postgres'
import { below, oneOf, type Random } from './kinds.js'

/** A change that was made. */
export interface RowChange {
  /** For the message of a failure. */
  readonly done: string
  /** Null: the row was removed. Of an inserted row the column that tells it from the one that it copies. */
  readonly column: string | null
  /** The row as it was; of an inserted row, as it is. */
  readonly row: Row
  /** The primary key of that row, as findings name it. */
  readonly key: string
}

export type Row = Readonly<Record<string, unknown>>

interface Column {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
}

interface Table {
  readonly name: string
  readonly columns: readonly Column[]
}

/** Changes one row of the table, or adds one to an empty table. `only`: this column of a row. */
export async function changeRow(
  transaction: Queryable,
  name: string,
  random: Random,
  only?: string,
): Promise<RowChange> {
  const table = { name, columns: await columnsOf(transaction, name) }
  await loosen(transaction, name)
  const rows = await readRows(transaction, table)
  if (rows.length === 0) return await insertCopy(transaction, table, null, random)
  const row = oneOf(random, rows)
  const drawn = random()
  const remove = async () => {
    await transaction.execute(`DELETE FROM ${name} WHERE ctid = $1::tid`, [row.ctid])
    return madeOf(table, row.row, null, 'removed')
  }
  if (only === undefined && drawn < 0.1) return await remove()
  if (only === undefined && drawn < 0.2) return await insertCopy(transaction, table, row.row, random)
  const column = table.columns.find((each) => each.name === only) ?? oneOf(random, table.columns)
  const other = oneOf(random, rows).row[column.name]
  const isOther = !column.isKey && !isSame(other, row.row[column.name])
  const value = drawn < 0.4 && isOther ? other : valueFor(column, row.row[column.name], random)
  const changed = await transaction.execute(
    `UPDATE ${name} t SET ${column.name} = (jsonb_populate_record(NULL::${name}, $2)).${column.name}
     WHERE ctid = $1::tid AND to_jsonb(t)->'${column.name}' IS DISTINCT FROM to_jsonb(jsonb_populate_record(NULL::${name}, $2))->'${column.name}'`,
    [row.ctid, JSON.stringify({ [column.name]: value })],
  )
  // The type has made the same value of it.
  if (changed === 0) return await remove()
  return madeOf(table, row.row, column.name, `${column.name} = ${JSON.stringify(value)}`)
}

const madeOf = (table: Table, row: Row, column: string | null, done: string): RowChange => ({
  ...{ column, row },
  ...{ key: keyOf(table, row), done: `${table.name} ${keyOf(table, row)}: ${done}` },
})

const keyOf = ({ columns }: Table, row: Row): string =>
  columns
    .filter(({ isKey }) => isKey)
    .map(({ name }) => `${name}=${String(row[name])}`)
    .join(', ')

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

async function columnsOf(transaction: Queryable, table: string): Promise<Column[]> {
  return await transaction.query<Column & Record<string, unknown>>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type,
       EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey)) AS "isKey"
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     ORDER BY attnum`,
    [table],
  )
}

/** The owner of a table can take its triggers, checks and unique values away. */
async function loosen(transaction: Queryable, table: string): Promise<void> {
  await transaction.execute('SET LOCAL session_replication_role = replica')
  const steps = await transaction.query<{ step: string }>(
    `SELECT 'ALTER TABLE ${table} DROP CONSTRAINT ' || conname AS step
       FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('c', 'u')
     UNION ALL SELECT 'ALTER TABLE ${table} ALTER ' || attname || ' DROP IDENTITY'
       FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''
     UNION ALL SELECT 'DROP INDEX ' || indexrelid::regclass FROM pg_index
       WHERE indrelid = $1::regclass AND indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  )
  for (const { step } of steps) await transaction.execute(step)
}

async function readRows(
  transaction: Queryable,
  { name, columns }: Table,
): Promise<{ ctid: string; row: Row }[]> {
  const keys = columns.filter(({ isKey }) => isKey).map((column) => column.name)
  return await transaction.query(
    `SELECT ctid::text AS ctid, to_jsonb(t) AS row FROM ${name} t ORDER BY ${keys.length === 0 ? 'ctid' : keys.join(', ')}`,
  )
}

/** A copy of the row under another key; without a row, one with any values. */
async function insertCopy(
  transaction: Queryable,
  table: Table,
  copied: Row | null,
  random: Random,
): Promise<RowChange> {
  const { name, columns } = table
  const row =
    copied ?? Object.fromEntries(columns.map((column) => [column.name, valueFor(column, null, random)]))
  const keys = columns.filter(({ isKey }) => isKey)
  const changed = oneOf(random, keys.length === 0 ? columns : keys)
  const inserted = { ...row, [changed.name]: valueFor(changed, row[changed.name], random) }
  const names = columns.map((column) => column.name).join(', ')
  await transaction.execute(
    `INSERT INTO ${name} (${names}) SELECT ${names} FROM jsonb_populate_record(NULL::${name}, $1)`,
    [JSON.stringify(inserted)],
  )
  return madeOf(table, inserted, changed.name, 'inserted')
}

/** Another value of the type, as JSON; of a key, one that no row has. */
function valueFor({ type, isKey }: Pick<Column, 'type' | 'isKey'>, value: unknown, random: Random): unknown {
  const number = 1 + below(random, 30_000)
  if (type.endsWith('[]')) {
    const values = (value ?? []) as readonly unknown[]
    return [...values, valueFor({ type: type.slice(0, -2), isKey }, null, random)]
  }
  switch (type) {
    case 'boolean':
      return value !== true
    case 'smallint':
      return typeof value === 'number' && value >= 0 ? value - number : number
    case 'integer':
    case 'bigint':
    case 'numeric':
      return Number(value ?? 0) + (random() < 0.5 ? number : -number)
    case 'timestamp with time zone':
      return movedTime(value, random)
    case 'date':
      return value === '2020-01-01' ? '2020-01-02' : '2020-01-01'
    case 'bytea':
      return changedBytes(typeof value === 'string' ? value : '\\x', random)
    case 'json':
    case 'jsonb':
      return { other: number, value }
    case '"char"':
      return value === 'i' ? 'n' : 'i'
    case 'double precision':
      return Number(value ?? 0) + number
    case 'uuid':
      return `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`
    case 'inet':
    case 'cidr':
      return `203.0.113.${number % 256}/32`
    default:
      if (isKey) return `${String(value)}~${number}`
      return changedText(typeof value === 'string' ? value : '', random)
  }
}

/** By a microsecond, or by up to some years. */
function movedTime(value: unknown, random: Random): string {
  const time = typeof value === 'string' ? value : '2026-01-01T00:00:00+00:00'
  if (random() < 0.5) return new Date(Date.parse(time) - 1 - below(random, 1e11)).toISOString()
  const [, whole, fraction = '', zone] = /^(.*?:\d\d:\d\d)(?:\.(\d+))?(\D.*)$/.exec(time)!
  const micros = fraction.padEnd(6, '0')
  return `${whole}.${micros.slice(0, 5)}${micros.endsWith('7') ? 8 : 7}${zone}`
}

function changedBytes(value: string, random: Random): string {
  if (value.length === 2) return '\\x00'
  const at = 2 + below(random, value.length - 2)
  return `${value.slice(0, at)}${value[at] === '0' ? '1' : '0'}${value.slice(at + 1)}`
}

/** One character changed, removed or added. */
function changedText(value: string, random: Random): string {
  const at = below(random, value.length)
  const drawn = random()
  if (value === '' || drawn < 0.3) return `${value}${below(random, 10)}`
  if (drawn < 0.4 && value.length > 1) return value.slice(0, at) + value.slice(at + 1)
  return `${value.slice(0, at)}${value[at] === '1' ? '2' : '1'}${value.slice(at + 1)}`
}
