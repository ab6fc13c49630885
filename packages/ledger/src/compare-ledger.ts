/** Compares the segments, price tables and rows of the ledger with their events. */
import { isDeepStrictEqual } from 'node:util'
import type { DomainEvent } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { LEDGER_PLACE } from './ledger-place.js'
import { readLedgerRows, type CheckedLedgerDeps } from './checked-ledger.js'
import type { CheckedLedger } from './kept-comparison.js'
import { PriceTableAlteredError, readPriceTable } from './prices/read-prices.js'
import { beginSums } from './all-sums.js'
import {
  readUnfinished,
  rowsContradiction,
  statedSums,
  type RowSums,
  type UnfinishedImports,
} from './row-sums.js'
import { LedgerStoreError } from './store/clickhouse/index.js'
import { ledgerStoreFault } from './store-fault.js'
import {
  ledgerContradiction,
  nothingStated,
  statingAll,
  unstatedRow,
  type LedgerRows,
  type StatedLedger,
} from './stated-ledger.js'

/** An import that ends meanwhile changes rows and log; then both are read again. */
const ATTEMPTS = 5

interface Snapshot {
  readonly rows: LedgerRows
  /** Why this process does not find the transfers. Without them the sums say nothing. */
  readonly elsewhere: string | null
  /** No transaction waits for the rows of another store. */
  readonly sums: () => Promise<RowSums | null>
  readonly unfinished: UnfinishedImports
  /** Statements that the relay has not marked yet; the log may have them. */
  readonly waiting: readonly DomainEvent[]
}

/** Sentences about what differs; empty where the ledger has the rows that the log states. */
export async function compareLedger({
  log,
  codec,
  database,
}: Omit<CheckedLedgerDeps, 'database'> & { readonly database: Database }): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await log.endOffset(LEDGER_PLACE.topic, LEDGER_PLACE.partition)
    const snapshot = await database.transaction(
      { at: 'projector.rebuild-compare', isolation: 'repeatable read' },
      readSnapshot,
    )
    const to = await log.endOffset(LEDGER_PLACE.topic, LEDGER_PLACE.partition)
    if (before !== to && attempt < ATTEMPTS) continue
    const events: DomainEvent[] = []
    for await (const records of log.read({ ...LEDGER_PLACE, from: 0, to }))
      events.push(...records.map((record) => codec.decode(record)))
    const ids = new Set(events.map(({ envelope }) => envelope.id))
    events.push(...snapshot.waiting.filter(({ envelope }) => !ids.has(envelope.id)))
    return await differences(statingAll(nothingStated, events), snapshot, database)
  }
}

async function readSnapshot(transaction: Queryable): Promise<Snapshot> {
  const rows = await readLedgerRows(transaction)
  const elsewhere = await ledgerStoreFault(transaction)
  const sums = (await beginSums(transaction))!
  const unfinished = await readUnfinished(transaction)
  const waiting = await transaction.query<{ event: DomainEvent }>(
    `SELECT event FROM projection.outbox WHERE relayed_at IS NULL
       AND event->>'type' IN ('LedgerSegmentImported', 'PriceTableImported') ORDER BY seq`,
  )
  return {
    ...{ rows, elsewhere, sums, unfinished },
    waiting: waiting.map(({ event }) => event),
  }
}

async function differences(
  stated: StatedLedger,
  { rows, elsewhere, sums, unfinished }: Snapshot,
  database: Queryable,
): Promise<string[]> {
  const transfers = async (): Promise<string | null> => {
    try {
      return rowsContradiction((await sums())!, statedSums(stated), unfinished)
    } catch (error) {
      if (error instanceof LedgerStoreError) return `The transfers were not compared: ${error.message}`
      throw error
    }
  }
  const found = [
    ledgerContradiction(rows, stated),
    unstatedRow(rows, stated),
    elsewhere ?? (await transfers()),
  ].filter((fault) => fault !== null)
  for (const { sha256 } of stated.prices) {
    const fault = await readPriceTable(database, sha256).then(
      (table) => (table === null ? `The ledger lacks the prices of the table ${sha256}.` : null),
      (error: unknown) => {
        if (error instanceof PriceTableAlteredError) return error.message
        throw error
      },
    )
    if (fault !== null) found.push(fault)
  }
  return found
}

/**
 * Reads all rows in slices and compares their sums with those of the state that `look` resolves to. Undefined if an import changed rows
 * meanwhile, or `afterSlice` ended the reading: then nothing is known.
 */
export async function compareRows(
  database: Queryable,
  look: () => Promise<CheckedLedger>,
  afterSlice: (sliceMs: number) => Promise<boolean>,
): Promise<string | null | undefined> {
  // Rows without a segment are not read, and an installation without a ledger may have no tables.
  if ((await look()).ledgerSeq === 0) return undefined
  const stateNow = async () => ({ ...(await look()), unfinished: await readUnfinished(database) })
  const before = await stateNow()
  const found = (await (await beginSums(database, afterSlice))?.()) ?? null
  if (found === null || before.unstated !== null || !isDeepStrictEqual(before, await stateNow()))
    return undefined
  return rowsContradiction(found, before.rowSums, before.unfinished)
}
