/**
 * The state of ledger and prices that the log states: rows are compared with their events, once for each change and process. A look reads the
 * newest rows and one slice of the earlier ones, so that its cost does not grow with the ledger: an altered row is found after as many
 * looks as there are slices.
 */
import { topicOf } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { sqlState, type Queryable } from '@cupel/postgres'
import { listPriceImports } from './prices/read-prices.js'
import { added as addedSums, statedSums, sumsOf, type RowSums } from './row-sums.js'
import { listSegments, listSegmentsFrom } from './segments.js'
import {
  ledgerContradiction,
  newestOf,
  newestStated,
  nothingStated,
  segmentsAfter,
  statingAll,
  unstatedRow,
  type LedgerRows,
  type StatedLedger,
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
  /** How often segments were stated again under numbers that others had: what was read before may be of others. */
  readonly replacements: number
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
  /** Once everything was compared, statements of the newest slices only: memory does not grow with the ledger. */
  let stated = nothingStated
  let isPart = false
  let next = 0
  let known: Compared | null = null
  let looks = 0

  async function readOn(): Promise<void> {
    const read = await readStatements({ log, codec }, { stated, next })
    stated = read.stated
    next = read.next
  }

  /**
   * Compares the newest slices with what the log states now; null if more than the newest segments is new: then everything is compared. A ledger
   * of many histories grows by one segment after another, and none of them costs what the others do.
   */
  async function compareNewest(
    { slices, state }: Compared,
    { found, last }: Changed,
  ): Promise<CheckedLedger | null> {
    const from = Math.max(1, last * sliceRows)
    const read = await readLedgerRows(database, from)
    const before = stated
    await readOn()
    const added = segmentsAfter(before, stated)
    if (added === null) return null
    const rowSums = added.reduce((sums, one) => addedSums(sums, sumsOf(one.rowSums)), state.rowSums)
    const next = stateOf(read, stated, { from, rowSums })
    keep(next, next.unstated === null ? new Map([...slices, ...found]) : slices)
    return next
  }

  function keep(state: CheckedLedger, slices: Compared['slices']): void {
    known = state.fault === null ? { slices, state } : null
    if (known === null) return
    stated = newestOf(stated, lastOf(slices) * sliceRows)
    isPart = true
  }

  async function look(): Promise<CheckedLedger> {
    if (known !== null) {
      const changed = await changedSlices(database, known, { sliceRows, looks: (looks += 1) })
      if (changed === null) return known.state
      const state = changed.isNewest ? await compareNewest(known, changed) : null
      if (state !== null) return state
    }
    known = null
    if (isPart) [stated, next, isPart] = [nothingStated, 0, false]
    const slices = await hashesOf(database, { sliceRows, turn: 0, last: -1 })
    // Rows are read first: what the log states is in the tables already, because both were written in one transaction.
    const read = await readLedgerRows(database)
    await readOn()
    const state = stateOf(read, stated, { from: 1, rowSums: statedSums(stated) })
    const comparedTo = state.unstated === null ? Infinity : Math.floor(state.ledgerSeq / sliceRows)
    keep(state, new Map([...slices].filter(([slice]) => slice < comparedTo)))
    return state
  }

  let looking: Promise<CheckedLedger> | null = null
  return () => (looking ??= look().finally(() => (looking = null)))
}

interface Statements {
  readonly stated: StatedLedger
  /** First offset that was not read. */
  readonly next: number
}

async function readStatements(
  { log, codec }: Pick<CheckedLedgerDeps, 'log' | 'codec'>,
  from: Statements,
): Promise<Statements> {
  let { stated } = from
  const to = await log.endOffset(LEDGER_PLACE.topic, LEDGER_PLACE.partition)
  if (from.next >= to) return from
  for await (const records of log.read({ ...LEDGER_PLACE, from: from.next, to }))
    stated = statingAll(
      stated,
      records.map((record) => codec.decode(record)),
    )
  return { stated, next: to }
}

/** What was compared, with the hash of each slice of rows that the log states. */
interface Compared {
  readonly slices: ReadonlyMap<number, string>
  readonly state: CheckedLedger
}

const lastOf = (slices: Compared['slices']): number => Math.max(0, ...slices.keys())

interface Changed {
  readonly found: ReadonlyMap<number, string>
  /** The last slice that was compared. */
  readonly last: number
  /** No slice before it differs. */
  readonly isNewest: boolean
}

const stateOf = (
  read: LedgerRows,
  stated: StatedLedger,
  { from, rowSums }: { readonly from: number; readonly rowSums: RowSums },
): CheckedLedger => ({
  ledgerSeq: newestStated(stated).ledgerSeq,
  pricesSha256: stated.prices.at(-1)?.sha256 ?? null,
  fault: ledgerContradiction(read, stated, from),
  unstated: unstatedRow(read, stated),
  rowSums,
  replacements: stated.replacements,
})

/** An installation without tables of a ledger has no rows. */
const withoutTables =
  <T>(value: T) =>
  (error: unknown): T => {
    if (sqlState(error) !== UNDEFINED_TABLE) throw error
    return value
  }
const UNDEFINED_TABLE = '42P01'

/** The newest slices with one of the others; null if nothing differs from what was compared. */
async function changedSlices(
  database: Queryable,
  { slices, state }: Compared,
  { sliceRows, looks }: { readonly sliceRows: number; readonly looks: number },
): Promise<Changed | null> {
  const last = lastOf(slices)
  const turn = looks % (last + 1)
  const found = await hashesOf(database, { sliceRows, turn, last })
  const differing = [...found.keys()].filter((slice) => found.get(slice) !== slices.get(slice))
  const vanished = [...slices.keys()].filter(
    (slice) => (slice < 0 || slice === turn || slice === last) && !found.has(slice),
  )
  // An import writes its row before its event is in the log: until then the newest slices are compared again.
  if (differing.length + vanished.length === 0 && state.unstated === null) return null
  return { found, last, isNewest: vanished.length === 0 && differing.every((slice) => slice >= last) }
}

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

/** The segments from a number on, and all tables of prices. */
export async function readLedgerRows(database: Queryable, from?: number): Promise<LedgerRows> {
  const [segments, prices] = await Promise.all([
    (from === undefined ? listSegments(database) : listSegmentsFrom(database, from)).catch(withoutTables([])),
    listPriceImports(database).catch(withoutTables([])),
  ])
  return { segments: segments.filter(({ ledgerSeq }) => ledgerSeq !== null), prices }
}
