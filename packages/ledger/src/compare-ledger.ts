/** Compares the segments and price tables of the ledger with their events. */
import type { DomainEvent } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { LEDGER_PLACE, readLedgerRows, type CheckedLedgerDeps } from './checked-ledger.js'
import { PriceTableAlteredError, readPriceTable } from './prices/read-prices.js'
import {
  ledgerContradiction,
  nothingStated,
  stating,
  unstatedRow,
  type LedgerRows,
  type StatedLedger,
} from './stated-ledger.js'

/** An import that ends meanwhile changes rows and log; then both are read again. */
const ATTEMPTS = 5

interface Snapshot {
  readonly rows: LedgerRows
  /** Statements that the relay has not marked yet; the log may have them. */
  readonly waiting: readonly DomainEvent[]
}

/** Sentences about what differs; empty where the ledger has the rows that the log states. Rows of single transfers are not compared. */
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
    return await differences(events.reduce(stating, nothingStated), snapshot, database)
  }
}

async function readSnapshot(transaction: Queryable): Promise<Snapshot> {
  const rows = await readLedgerRows(transaction)
  const waiting = await transaction.query<{ event: DomainEvent }>(
    `SELECT event FROM projection.outbox WHERE relayed_at IS NULL
       AND event->>'type' IN ('LedgerSegmentImported', 'PriceTableImported') ORDER BY seq`,
  )
  return {
    rows,
    waiting: waiting.map(({ event }) => event),
  }
}

async function differences(stated: StatedLedger, { rows }: Snapshot, database: Queryable): Promise<string[]> {
  const found = [ledgerContradiction(rows, stated), unstatedRow(rows, stated)].filter(
    (fault) => fault !== null,
  )
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
