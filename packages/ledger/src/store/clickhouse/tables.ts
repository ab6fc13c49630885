/**
 * The tables of transfers in ClickHouse. No row ever changes: what an import learns of a known transfer is a further version of it, and a state has
 * the last version that its segments wrote. So a state of the ledger is the same for ever.
 */
import type { ClickHouse } from './client.js'

/** Stands for an unknown number. */
export const UNKNOWN = 4_294_967_295
/** The same of 64 bits. */
export const UNKNOWN_PLACE = '18446744073709551615'

/** Rows of one mark: an address of a few transfers costs one or two of them. */
const GRANULARITY = 256

const SEGMENTS = [
  'segment_id',
  'proven_segment_id',
  'failed_segment_id',
  'retired_segment_id',
  'seen_segment_id',
] as const

/** What every table may have of a version, in the order of its line. */
const COLUMNS = [
  ['chain', 'LowCardinality(String)'],
  ['transfer_id', 'FixedString(16) CODEC(NONE)'],
  ['from_id', 'UInt32'],
  ['to_id', 'UInt32'],
  ['kind', 'FixedString(1)'],
  ['contract', 'LowCardinality(String)'],
  // Base units.
  ['amount', 'UInt256'],
  ['block_number', 'UInt32'],
  ['occurred_at_s', 'UInt32'],
  ['tx_index', 'UInt32'],
  ['place', 'UInt64'],
  // The bytes of `hashDigits`.
  ['tx_hash', 'String'],
  ['from_net', 'Nullable(Int256)'],
  ['to_net', 'Nullable(Int256)'],
  ...SEGMENTS.map((name) => [name, 'UInt32'] as const),
  // The block in which another file tells it: it moves there if a file that replaces its range does not contain it.
  ['other_segment_id', 'UInt32'],
  ['other_block', 'UInt32'],
  ['other_at_s', 'UInt32'],
  ['other_tx_index', 'UInt32'],
  ['other_place', 'UInt64'],
  // The transfer has an earlier version.
  ['revises', 'UInt8'],
  // False if the version only says that a further file tells the transfer.
  ['changes', 'UInt8'],
  // Which writing of which import wrote the version: see ledger.store_run in Postgres.
  ['run', 'UInt32'],
  ['write', 'UInt32'],
] as const

export type Column = (typeof COLUMNS)[number][0]

/** The columns of a line that an import inserts. */
export const LINE: readonly Column[] = COLUMNS.map(([name]) => name)

const typeOf = (name: string): string => COLUMNS.find(([one]) => one === name)![1]

/** Both sides of a transfer have a row with all of it. */
const SIDE: readonly string[] = LINE.filter((name) => !['chain', 'from_id', 'to_id'].includes(name))
/** Finds the rows of a transfer by its id. */
const BY_ID = ['transfer_id', 'from_id', 'block_number']
/** Finds the rows of a range of blocks, and those of an import. */
const BY_HEIGHT = [
  'chain',
  'block_number',
  'from_id',
  'to_id',
  'kind',
  'is_timeless',
  'revises',
  'changes',
  'run',
  'write',
]

const BYTES = new Set(['transfer_id', 'tx_hash'])
/** A told line has bytes in hexadecimal digits. */
const told = (name: string): string => (BYTES.has(name) ? `unhex(${name}) AS ${name}` : name)

const side = (outgoing: 0 | 1): string => {
  const [own, other] = outgoing === 1 ? ['from_id', 'to_id'] : ['to_id', 'from_id']
  return `SELECT ${own} AS address_id, ${other} AS counterparty_id, ${outgoing} AS outgoing, ${SIDE.map(told).join(', ')} FROM told`
}

/** An insert that Postgres counts outlives a server that loses its power. */
const DURABLE = 'fsync_after_insert = 1, fsync_part_directory = 1'

const ENGINE = (order: string, granularity = GRANULARITY): string =>
  `ENGINE = MergeTree ORDER BY (${order}) SETTINGS index_granularity = ${granularity}, min_compress_block_size = 16384, max_compress_block_size = 65536, ${DURABLE}`

/** Each statement may run again at any time. A line of `told` goes to all tables, and stays in none but these. */
const STATEMENTS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS told (${COLUMNS.map(([name, type]) => `${name} ${BYTES.has(name) ? 'String' : type}`).join(', ')}) ENGINE = Null`,
  `CREATE TABLE IF NOT EXISTS side (address_id UInt32, counterparty_id UInt32, outgoing UInt8, ${SIDE.map((name) => `${name} ${typeOf(name)}`).join(', ')})
   ${ENGINE('address_id, block_number')}`,
  `CREATE TABLE IF NOT EXISTS by_id (${BY_ID.map((name) => `${name} ${typeOf(name)}`).join(', ')}) ${ENGINE('transfer_id')}`,
  `CREATE TABLE IF NOT EXISTS by_height (${BY_HEIGHT.map((name) => `${name} ${name === 'is_timeless' ? 'UInt8' : typeOf(name)}`).join(', ')},
     INDEX of_run run TYPE minmax GRANULARITY 1) ${ENGINE('chain, block_number', 8_192)}`,
  // The runs that ever began: a Postgres that was restored from a backup gives none of their numbers again.
  `CREATE TABLE IF NOT EXISTS begun (run UInt32, run_key UUID) ENGINE = MergeTree ORDER BY run SETTINGS ${DURABLE}`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS to_sender TO side AS ${side(1)}`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS to_receiver TO side AS ${side(0)}`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS to_id TO by_id AS SELECT ${BY_ID.map(told).join(', ')} FROM told`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS to_height TO by_height AS
     SELECT ${BY_HEIGHT.map((name) => (name === 'is_timeless' ? `occurred_at_s = ${UNKNOWN} AS is_timeless` : name)).join(', ')} FROM told`,
]

const TABLES = [
  'told',
  'side',
  'by_id',
  'by_height',
  'begun',
  'to_sender',
  'to_receiver',
  'to_id',
  'to_height',
]

export async function createTransferTables(clickHouse: ClickHouse): Promise<void> {
  for (const statement of STATEMENTS) await clickHouse.run(statement)
}

export async function missingTables(clickHouse: ClickHouse): Promise<readonly string[]> {
  const lines = await clickHouse.rows('SELECT name FROM system.tables WHERE database = currentDatabase()')
  const found = new Set(lines.map(([name]) => name))
  return TABLES.filter((name) => !found.has(name))
}

export interface StoreState {
  readonly version: string
  readonly freeBytes: number
  readonly missing: readonly string[]
}

/** Throws a `LedgerStoreError` if the server does not answer, or the user may not read and write the tables. */
export async function readStoreState(clickHouse: ClickHouse): Promise<StoreState> {
  const [line] = await clickHouse.rows('SELECT version(), (SELECT min(free_space) FROM system.disks)')
  const missing = await missingTables(clickHouse)
  if (missing.length === 0) {
    await clickHouse.rows('SELECT run FROM side LIMIT 0')
    await clickHouse.run('INSERT INTO begun SELECT run, run_key FROM begun LIMIT 0')
  }
  return { version: line![0]!, freeBytes: Number(line![1]), missing }
}
