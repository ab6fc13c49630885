/** The state of ledger and prices that the log states: rows are compared with their events, once for each change and process. */
import { topicOf } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { sqlState, type Queryable } from '@cupel/postgres'
import { listPriceImports } from './prices/read-prices.js'
import { listSegments } from './segments.js'
import { ledgerContradiction, nothingStated, stating, type LedgerRows } from './stated-ledger.js'

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
}

const PLACE = { topic: topicOf('LedgerSegmentImported'), partition: 0 }

/** Returns the look at the present state. Without a change of the rows it costs one statement, and the log is not asked. */
export function createLedgerCheck({ log, codec, database }: CheckedLedgerDeps): () => Promise<CheckedLedger> {
  let stated = nothingStated
  let next = 0
  let known: { readonly rows: string; readonly state: CheckedLedger } | null = null

  async function readOn(): Promise<void> {
    const to = await log.endOffset(PLACE.topic, PLACE.partition)
    if (next >= to) return
    for await (const records of log.read({ ...PLACE, from: next, to }))
      for (const record of records) {
        stated = stating(stated, codec.decode(record))
        next = record.offset + 1
      }
    next = to
  }

  return async () => {
    const rows = await hashOfRows(database)
    if (known?.rows === rows) return known.state
    // Rows are read first: what the log states is in the tables already, because both were written in one transaction.
    const read = await readRows(database)
    await readOn()
    const fault = ledgerContradiction(read, stated)
    const ledgerSeq = Math.max(0, ...stated.segments.keys())
    const state = { ledgerSeq, pricesSha256: stated.prices?.sha256 ?? null, fault }
    const isWhole = fault === null && hasNothingBeyond(read, state, stated.prices?.priceSeq ?? 0)
    known = isWhole ? { rows, state } : null
    return state
  }
}

const hasNothingBeyond = (
  { segments, prices }: LedgerRows,
  { ledgerSeq }: CheckedLedger,
  priceSeq: number,
): boolean => segments.length === ledgerSeq && prices.every((one) => one.priceSeq <= priceSeq)

/** An installation without tables of a ledger has no rows. */
const withoutTables =
  <T>(value: T) =>
  (error: unknown): T => {
    if (sqlState(error) !== UNDEFINED_TABLE) throw error
    return value
  }
const UNDEFINED_TABLE = '42P01'

async function hashOfRows(database: Queryable): Promise<string> {
  const asked = database.query<{ rows: string }>({
    name: 'ledger.current',
    text: `SELECT md5(concat_ws(E'\\n',
             (SELECT string_agg(s::text, E'\\n' ORDER BY segment_id) FROM ledger.segment s WHERE ledger_seq IS NOT NULL),
             (SELECT string_agg(p::text, E'\\n' ORDER BY price_seq) FROM ledger.price_import p))) AS rows`,
  })
  return (await asked.catch(withoutTables([])))[0]?.rows ?? ''
}

async function readRows(database: Queryable): Promise<LedgerRows> {
  const [segments, prices] = await Promise.all([
    listSegments(database).catch(withoutTables([])),
    listPriceImports(database).catch(withoutTables([])),
  ])
  return { segments: segments.filter(({ ledgerSeq }) => ledgerSeq !== null), prices }
}
