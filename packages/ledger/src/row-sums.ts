/**
 * The sums of the rows of imports: their number, and the hash of each row in four whole numbers, each added up over all rows. The log states what
 * each import changed in them. They need no order, so an import costs what it changes, and a comparison can read the rows in slices. Source: Bellare,
 * Micciancio (1997), "A New Paradigm for Collision-Free Hashing: Incrementality at Reduced Cost". They find rows that somebody altered, removed or
 * added; whoever can also write thousands of rows of their choice can make up for an alteration.
 */
import type { Queryable } from '@cupel/postgres'
import type { StatedLedger } from './stated-ledger.js'

/** The number of rows, then the four sums. */
export type RowSums = readonly bigint[]

export const NO_ROWS: RowSums = [0n, 0n, 0n, 0n, 0n]

/** The tables whose rows an import makes. Each is written out, so that the rights of the services follow. */
const SUMMED_TABLES = [
  ['address', 'FROM ledger.address AS t'],
  ['contract', 'FROM ledger.contract AS t'],
  ['transfer', 'FROM ledger.transfer AS t'],
  ['transaction_place', 'FROM ledger.transaction_place AS t'],
  ['block', 'FROM ledger.block AS t'],
  ['cluster_join', 'FROM ledger.cluster_join AS t'],
  ['owner_address', 'FROM ledger.owner_address AS t'],
  ['unreadable_row', 'FROM ledger.unreadable_row AS t'],
  ['unknown_token', 'FROM ledger.unknown_token AS t'],
  ['store_run', 'FROM ledger.store_run AS t'],
] as const

export const added = (sums: RowSums, more: RowSums, sign = 1n): RowSums =>
  sums.map((sum, index) => sum + sign * more[index]!)

export const sumsText = (sums: RowSums): string => sums.join(',')

/** Reads `1,2,3,4,5`; throws for any other text. */
export function sumsOf(text: string): RowSums {
  const sums = text.split(',').map(BigInt)
  if (sums.length !== NO_ROWS.length) throw new RangeError(`These are not five sums: ${text}`)
  return sums
}

/** What the statements of this transaction changed, as triggers of the tables noted it. */
export async function notedSums(transaction: Queryable): Promise<RowSums> {
  const [row] = await transaction.query<{ noted: string | null }>({
    name: 'ledger.noted-rows',
    text: `SELECT current_setting('cupel.ledger_rows', true) AS noted`,
  })
  return [...(row?.noted ?? '').matchAll(/([+-])\{([^}]*)\}/g)].reduce(
    (sums, [, sign, text]) => added(sums, sumsOf(text!), sign === '+' ? 1n : -1n),
    NO_ROWS,
  )
}

/** The sums that the log states. */
export const statedSums = ({ segments }: StatedLedger): RowSums =>
  [...segments.values()].reduce(
    (sums, { rowSums }) => (rowSums === '' ? sums : added(sums, sumsOf(rowSums))),
    NO_ROWS,
  )

export interface UnfinishedImports {
  /** The files of imports that did not end and stored rows. */
  readonly files: readonly string[]
  /** What they changed, by the word of the database: no event states it. */
  readonly sums: RowSums
}

export async function readUnfinished(database: Queryable): Promise<UnfinishedImports> {
  const rows = await database.query<{ file_name: string; sums: string }>({
    name: 'ledger.unfinished-rows',
    text: `SELECT file_name, array_to_string(row_sums, ',') AS sums FROM ledger.segment
           WHERE ledger_seq IS NULL AND row_sums <> '{0,0,0,0,0}' ORDER BY segment_id`,
  })
  return {
    files: rows.map((row) => row.file_name),
    sums: rows.reduce((sums, row) => added(sums, sumsOf(row.sums)), NO_ROWS),
  }
}

/** Pages of a table that one statement sums up: some thousand rows. */
const SLICE_PAGES = 64

/** The sums of all rows; null if `afterSlice` ended the reading by resolving to false. Rows that change meanwhile count or do not. */
export async function readRowSums(
  database: Queryable,
  afterSlice: (sliceMs: number) => Promise<boolean> = () => Promise.resolve(true),
): Promise<RowSums | null> {
  let sums = NO_ROWS
  for (const [table, from] of SUMMED_TABLES) {
    const [size] = await database.query<{ pages: number }>(
      `SELECT pg_relation_size('ledger.${table}') / current_setting('block_size')::int8 AS pages`,
    )
    for (let page = 0; page < size!.pages; page += SLICE_PAGES) {
      const since = performance.now()
      const [row] = await database.query<{ sums: string }>(sliceOf(table, from), [
        `(${page},0)`,
        `(${page + SLICE_PAGES},0)`,
      ])
      sums = added(sums, sumsOf(row!.sums))
      if (!(await afterSlice(performance.now() - since))) return null
    }
  }
  return sums
}

const sliceOf = (table: string, from: string) => ({
  name: `ledger.row-sums-${table}`,
  text: `SELECT array_to_string(ledger.row_sums(ARRAY(
           SELECT ledger.told_row('${table}', t::text) ${from} WHERE ctid >= $1::tid AND ctid < $2::tid)), ',') AS sums`,
})

/** Why the rows must not be used, as a sentence; null if their sums are those that the log and unfinished imports state. */
export function rowsContradiction(
  found: RowSums,
  stated: RowSums,
  unfinished: UnfinishedImports,
): string | null {
  const expected = added(stated, unfinished.sums)
  if (sumsText(found) === sumsText(expected)) return null
  const difference = found[0]! - expected[0]!
  const what =
    difference === 0n
      ? 'rows with other values'
      : `${difference < 0n ? -difference : difference} rows ${difference < 0n ? 'fewer' : 'more'}`
  return `The ledger has ${what} than the log states: rows of transfers or of what belongs to them were altered in the database.`
}
