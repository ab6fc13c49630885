/**
 * The state of ledger and prices that the log states: rows are compared with their events, once for each change and process. A look reads the
 * newest rows and one slice of the earlier ones, so that its cost does not grow with the ledger: an altered row is found after as many
 * looks as there are slices.
 */
import { topicOf } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { sqlState, type Queryable } from '@cupel/postgres'
import { listPriceImports } from './prices/read-prices.js'
import { statedSums, type RowSums } from './row-sums.js'
import { listSegments } from './segments.js'
import {
  ledgerContradiction,
  newestStated,
  nothingStated,
  statingAll,
  unstatedRow,
  type LedgerRows,
} from './stated-ledger.js'

export interface CheckedLedgerDeps {
  readonly log: Pick<EventLog, 'endOffset' | 'read'>
  readonly codec: EventCodec
  readonly database: Queryable
}

export interface CheckedLedger {
  /** The newest state whose every segment the log states; 0 if the ledger is empty. */
  readonly ledgerSeq: number
  /** SHA-256 of the table of prices in force; null without one. */
  readonly pricesSha256: string | null
  /** Why the rows must not be used, as a sentence; null where they may be. */
  readonly fault: string | null
  /** A row that no event states (yet) and that is not used, as a sentence; null without one. */
  readonly unstated: string | null
  /** The sums of all rows of imports that the log states. */
  readonly rowSums: RowSums
}

/** Rows of a slice: so many segments, and as many tables of prices. */
const SLICE_ROWS = 200

export const LEDGER_PLACE = { topic: topicOf('LedgerSegmentImported'), partition: 0 }

export interface LedgerCheckOptions {
  readonly sliceRows?: number
}

/** Returns the look at the present state. Without a change of the rows it costs one statement, and the log is not asked. Callers at once share a look. */
export function createLedgerCheck(
  { log, codec, database }: CheckedLedgerDeps,
  { sliceRows = SLICE_ROWS }: LedgerCheckOptions = {},
): () => Promise<CheckedLedger> {
  let stated = nothingStated
  let next = 0
  let known: { readonly slices: ReadonlyMap<number, string>; readonly state: CheckedLedger } | null = null
  let looks = 0

  async function readOn(): Promise<void> {
    const to = await log.endOffset(LEDGER_PLACE.topic, LEDGER_PLACE.partition)
    if (next >= to) return
    for await (const records of log.read({ ...LEDGER_PLACE, from: next, to })) {
      stated = statingAll(
        stated,
        records.map((record) => codec.decode(record)),
      )
      next = (records.at(-1)?.offset ?? next - 1) + 1
    }
    next = to
  }

  /** Whether the newest rows, and one slice of the others, are as they were compared. */
  async function isUnchanged({ slices }: NonNullable<typeof known>): Promise<boolean> {
    const last = Math.max(0, ...slices.keys())
    const turn = (looks += 1) % (last + 1)
    const found = await hashesOf(database, { sliceRows, turn, last })
    const expected = [...slices.keys()].filter((slice) => slice < 0 || slice === turn || slice === last)
    return found.size === expected.length && [...found].every(([slice, hash]) => slices.get(slice) === hash)
  }

  async function look(): Promise<CheckedLedger> {
    if (known !== null && (await isUnchanged(known))) return known.state
    known = null
    const slices = await hashesOf(database, { sliceRows, turn: 0, last: -1 })
    // Rows are read first: what the log states is in the tables already, because both were written in one transaction.
    const read = await readLedgerRows(database)
    await readOn()
    const state: CheckedLedger = {
      ledgerSeq: newestStated(stated).ledgerSeq,
      pricesSha256: stated.prices.at(-1)?.sha256 ?? null,
      fault: ledgerContradiction(read, stated),
      unstated: unstatedRow(read, stated),
      rowSums: statedSums(stated),
    }
    if (state.fault === null && state.unstated === null) known = { slices, state }
    return state
  }

  let looking: Promise<CheckedLedger> | null = null
  return () => (looking ??= look().finally(() => (looking = null)))
}

/** An installation without tables of a ledger has no rows. */
const withoutTables =
  <T>(value: T) =>
  (error: unknown): T => {
    if (sqlState(error) !== UNDEFINED_TABLE) throw error
    return value
  }
const UNDEFINED_TABLE = '42P01'

/** The hash of each slice of rows: of the one whose turn it is, and from the last one on. Numbers below 1 are never right, and count always. */
async function hashesOf(
  database: Queryable,
  { sliceRows, turn, last }: { readonly sliceRows: number; readonly turn: number; readonly last: number },
): Promise<ReadonlyMap<number, string>> {
  const rows = await database
    .query<{ slice: number; hash: string }>(HASHES, [sliceRows, turn, last])
    .catch(withoutTables([]))
  return new Map(rows.map(({ slice, hash }) => [slice, hash]))
}

const rowsOf = (table: string, number: string): string => `
  SELECT floor(${number}::float8 / $1)::int8 AS slice, '${table} ' || t::text AS row FROM ledger.${table} AS t
  WHERE ${number} < 0 OR ${number} BETWEEN $2 * $1 AND $2 * $1 + $1 - 1 OR ${number} >= $3 * $1`

const HASHES = {
  name: 'ledger.current',
  text: `SELECT slice, md5(string_agg(row, E'\\n' ORDER BY row)) AS hash FROM (
      ${rowsOf('segment', 'ledger_seq')} UNION ALL ${rowsOf('price_import', 'price_seq')}) AS rows
    GROUP BY slice`,
}

export async function readLedgerRows(database: Queryable): Promise<LedgerRows> {
  const [segments, prices] = await Promise.all([
    listSegments(database).catch(withoutTables([])),
    listPriceImports(database).catch(withoutTables([])),
  ])
  return { segments: segments.filter(({ ledgerSeq }) => ledgerSeq !== null), prices }
}
