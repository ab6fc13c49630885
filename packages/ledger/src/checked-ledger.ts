/**
 * The state of ledger and prices that the log states: rows are compared with their events, once for each change and process. A look reads the
 * newest rows and one slice of the earlier ones, so that its cost does not grow with the ledger: an altered row is found after as many
 * looks as there are slices. The first look of a process goes on from what an earlier one kept: it compares the hash of each slice, and reads of rows
 * and log what is new.
 */
import { setImmediate } from 'node:timers/promises'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { sqlState, type Queryable } from '@cupel/postgres'
import { readComparison, type CheckedLedger, type Compared, type keepComparison } from './kept-comparison.js'
import { LEDGER_PLACE } from './ledger-place.js'
import { listPriceImports } from './prices/read-prices.js'
import { added as addedSums, statedSums, sumsOf, type RowSums } from './row-sums.js'
import { ledgerStoreFault } from './store-fault.js'
import { listSegments, listSegmentsFrom, type Segment } from './segments.js'
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
  readonly log: Pick<EventLog, 'endOffset' | 'read'> & Partial<Pick<EventLog, 'identity' | 'macs'>>
  readonly codec: EventCodec
  readonly database: Queryable
}

/** Rows of a slice: so many segments, and as many tables of prices. */
const SLICE_ROWS = 200

/** Slices that one statement reads at a first look. */
const SLICES_AT_ONCE = 50

export interface LedgerCheckOptions {
  readonly sliceRows?: number
  /** Keeps what was compared for the next process. Others read it, and keep nothing. */
  readonly keep?: typeof keepComparison | null
}

/** Returns the look at the present state. Without a change of the rows it costs one statement, and the log is not asked. Callers at once share a look. */
export function createLedgerCheck(
  { log, codec, database }: CheckedLedgerDeps,
  { sliceRows = SLICE_ROWS, keep = null }: LedgerCheckOptions = {},
): () => Promise<CheckedLedger> {
  const check: Check = {
    ...{ log, codec, database, sliceRows, keepForNext: keep },
    ...{ stated: nothingStated, isPart: false, next: 0, known: null, looks: 0, isFirst: true, keptTo: null },
  }
  let looking: Promise<CheckedLedger> | null = null
  const withStore = checkStore(database)
  return () =>
    (looking ??= look(check)
      .then(withStore)
      .finally(() => (looking = null)))
}

/** Once for each new state: whether its transfers are where this process looks for them. */
function checkStore(database: Queryable): (state: CheckedLedger) => Promise<CheckedLedger> {
  let checked: { readonly ledgerSeq: number; readonly fault: string | null } = { ledgerSeq: 0, fault: null }
  return async (state) => {
    const { ledgerSeq } = state
    if (ledgerSeq !== checked.ledgerSeq) checked = { ledgerSeq, fault: await ledgerStoreFault(database) }
    return checked.fault === null ? state : { ...state, fault: checked.fault }
  }
}

interface Check extends CheckedLedgerDeps, Statements {
  readonly sliceRows: number
  readonly keepForNext: typeof keepComparison | null
  /** Once everything was compared, statements of the newest slices only (`isPart`): memory does not grow with the ledger. */
  stated: StatedLedger
  next: number
  isPart: boolean
  known: Compared | null
  looks: number
  isFirst: boolean
  /** The last slice of what is kept; null if the next comparison has to be kept. */
  keptTo: number | null
}

async function look(check: Check): Promise<CheckedLedger> {
  const { database, sliceRows } = check
  if (check.isFirst) {
    const state = await lookFromKept(check)
    check.isFirst = false
    if (state !== null) return state
  }
  if (check.known !== null) {
    const changed = await changedSlices(database, check.known, { sliceRows, looks: (check.looks += 1) })
    if (changed === null) return check.known.state
    const state = changed.isNewest ? await compareNewest(check, check.known, changed) : null
    if (state !== null) return state
  }
  check.known = null
  // What is kept lacks what is compared now: each start would compare everything again.
  check.keptTo = null
  if (check.isPart) Object.assign(check, { stated: nothingStated, next: 0, isPart: false })
  const slices = await hashesOfAll(database, sliceRows)
  // Rows are read first: what the log states is in the tables already, because both were written in one transaction.
  const read = await readLedgerRows(database)
  await readOn(check)
  const { stated } = check
  const state = await stateOf(read, stated, { from: 1, rowSums: statedSums(stated), sliceRows })
  const comparedTo = state.unstated === null ? Infinity : Math.floor(state.ledgerSeq / sliceRows)
  await keep(check, state, new Map([...slices].filter(([slice]) => slice < comparedTo)))
  return state
}

/** Goes on from what an earlier process kept; null if that is not what the rows and the log have now. */
async function lookFromKept(check: Check): Promise<CheckedLedger | null> {
  const { database, sliceRows } = check
  const kept = await readComparison(check, sliceRows).catch(withoutTables(null))
  if (kept === null) return null
  const found = await hashesOfAll(database, sliceRows)
  const last = lastOf(kept.slices)
  const { isNewest } = changeOf(kept, { found, last, isAsked: () => true })
  if (!isNewest) return null
  const { stated, next } = kept
  Object.assign(check, { stated, next, isPart: true, keptTo: last })
  return await compareNewest(check, kept, { found, last, isNewest })
}

/**
 * Compares the newest slices with what the log states now; null if more than the newest segments is new: then everything is compared. A ledger
 * of many histories grows by one segment after another, and none of them costs what the others do.
 */
async function compareNewest(
  check: Check,
  { slices, state }: Compared,
  { found, last }: Changed,
): Promise<CheckedLedger | null> {
  const { database, sliceRows, stated: before } = check
  const from = Math.max(1, last * sliceRows)
  const read = await readLedgerRows(database, from)
  await readOn(check)
  const added = segmentsAfter(before, check.stated)
  if (added === null) return null
  const rowSums = added.reduce((sums, one) => addedSums(sums, sumsOf(one.rowSums)), state.rowSums)
  const next = await stateOf(read, check.stated, { from, rowSums, sliceRows })
  await keep(check, next, next.unstated === null ? new Map([...slices, ...found]) : slices)
  return next
}

async function readOn(check: Check): Promise<void> {
  const { stated, next } = await readStatements(check, check)
  Object.assign(check, { stated, next })
}

async function keep(check: Check, state: CheckedLedger, slices: Compared['slices']): Promise<void> {
  check.known = state.fault === null ? { slices, state } : null
  if (check.known === null) return
  const last = lastOf(slices)
  check.stated = newestOf(check.stated, last * check.sliceRows)
  check.isPart = true
  const { keepForNext, known, sliceRows, stated, next } = check
  if (keepForNext === null || state.unstated !== null || last === check.keptTo) return
  try {
    await keepForNext(check, sliceRows, { ...known, stated, next })
    check.keptTo = last
  } catch {
    // The next process compares everything, as the first one did.
  }
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

const lastOf = (slices: Compared['slices']): number => Math.max(0, ...slices.keys())

interface Changed {
  readonly found: ReadonlyMap<number, string>
  /** The last slice that was compared. */
  readonly last: number
  /** No slice before it differs. */
  readonly isNewest: boolean
}

interface Stating {
  readonly from: number
  readonly rowSums: RowSums
  readonly sliceRows: number
}

const stateOf = async (
  read: LedgerRows,
  stated: StatedLedger,
  { rowSums, ...by }: Stating,
): Promise<CheckedLedger> => ({
  ledgerSeq: newestStated(stated).ledgerSeq,
  pricesSha256: stated.prices.at(-1)?.sha256 ?? null,
  fault: await contradictionIn(read, stated, by),
  unstated: unstatedRow(read, stated),
  rowSums,
  replacements: stated.replacements,
})

/** Slice by slice: between two of them the process does other work. */
async function contradictionIn(
  { segments, prices }: LedgerRows,
  stated: StatedLedger,
  { from, sliceRows }: Omit<Stating, 'rowSums'>,
): Promise<string | null> {
  const sliceOf = (seq: number): number => Math.floor(Math.max(seq, from) / sliceRows)
  const last = sliceOf(newestStated(stated).ledgerSeq)
  const slices = new Map<number, Segment[]>()
  for (const one of segments) {
    // What a hidden segment leaves behind says more than the number that it got.
    const slice = one.ledgerSeq! < 1 ? last : sliceOf(one.ledgerSeq!)
    const rows = slices.get(slice)
    if (rows === undefined) slices.set(slice, [one])
    else rows.push(one)
  }
  for (let slice = sliceOf(from); slice <= last; slice += 1) {
    const rows = { segments: slices.get(slice) ?? [], prices }
    const [first, to] = [Math.max(from, slice * sliceRows), (slice + 1) * sliceRows - 1]
    const fault = ledgerContradiction(rows, stated, first, to)
    if (fault !== null) return fault
    await setImmediate()
  }
  return null
}

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
  const isAsked = (slice: number): boolean => slice < 0 || slice === turn || slice === last
  const { isSame, isNewest } = changeOf({ slices }, { found, last, isAsked })
  // An import writes its row before its event is in the log: until then the newest slices are compared again.
  return isSame && state.unstated === null ? null : { found, last, isNewest }
}

/** `isNewest`: no slice before the last one differs. */
function changeOf(
  { slices }: Pick<Compared, 'slices'>,
  {
    found,
    last,
    isAsked,
  }: {
    readonly found: Compared['slices']
    readonly last: number
    readonly isAsked: (slice: number) => boolean
  },
): { readonly isSame: boolean; readonly isNewest: boolean } {
  const differing = [...found.keys()].filter((slice) => found.get(slice) !== slices.get(slice))
  const isVanished = [...slices.keys()].some((slice) => isAsked(slice) && !found.has(slice))
  return {
    isSame: differing.length === 0 && !isVanished,
    isNewest: !isVanished && differing.every((slice) => slice >= last),
  }
}

/** The hashes of all slices, some in each statement: no statement grows with the ledger, and numbers that nobody gave cost none. */
async function hashesOfAll(database: Queryable, sliceRows: number): Promise<ReadonlyMap<number, string>> {
  const all = new Map<number, string>()
  for (let from: number | null = 0; from !== null;) {
    const to: number = from + SLICES_AT_ONCE
    const rows = await database
      .query<{ slice: number; hash: string }>(ALL_HASHES, [sliceRows, from, to])
      .catch(withoutTables([]))
    for (const { slice, hash } of rows) all.set(slice, hash)
    const [row] = await database
      .query<{ next: number | null }>(NEXT_NUMBER, [to * sliceRows])
      .catch(withoutTables([{ next: null }]))
    from = row!.next === null ? null : Math.floor(row!.next / sliceRows)
  }
  return all
}

/** The smallest number from one on. */
const NEXT_NUMBER = {
  name: 'ledger.next-number',
  text: `SELECT least((SELECT min(ledger_seq) FROM ledger.segment WHERE ledger_seq >= $1),
    (SELECT min(price_seq) FROM ledger.price_import WHERE price_seq >= $1)) AS next`,
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

const rowsOf = (table: string, number: string, isRead: string): string => `
  SELECT floor(${number}::float8 / $1)::int8 AS slice, '${table} ' || t::text AS row FROM ledger.${table} AS t
  WHERE ${number} < 0 OR ${isRead}`

const hashed = (isRead: (number: string) => string): string =>
  `SELECT slice, md5(string_agg(row, E'\\n' ORDER BY row)) AS hash FROM (
      ${rowsOf('segment', 'ledger_seq', isRead('ledger_seq'))} UNION ALL
      ${rowsOf('price_import', 'price_seq', isRead('price_seq'))}) AS rows
    GROUP BY slice`

/** The first number of a slice. Of another type no index would find it. */
const firstOf = (slice: string): string => `(${slice}::int8 * $1::int8)`

const HASHES = {
  name: 'ledger.current',
  text: hashed(
    (number) =>
      `${number} >= ${firstOf('$2')} AND ${number} < ${firstOf('$2')} + $1::int8 OR ${number} >= ${firstOf('$3')}`,
  ),
}

const ALL_HASHES = {
  name: 'ledger.hashes',
  text: hashed((number) => `${number} >= ${firstOf('$2')} AND ${number} < ${firstOf('$3')}`),
}

/** The segments from a number on, and all tables of prices. */
export async function readLedgerRows(database: Queryable, from?: number): Promise<LedgerRows> {
  const [segments, prices] = await Promise.all([
    (from === undefined ? listSegments(database) : listSegmentsFrom(database, from)).catch(withoutTables([])),
    listPriceImports(database).catch(withoutTables([])),
  ])
  return { segments: segments.filter(({ ledgerSeq }) => ledgerSeq !== null), prices }
}
