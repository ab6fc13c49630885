/** The tables of a ledger whose transfers are in ClickHouse, for those who install and examine an installation. */
import type { Queryable } from '@cupel/postgres'
import { createLedgerDatabase, openClickHouse } from './clickhouse/client.js'
import { createTransferTables, readStoreState, requireRuns, type StoreState } from './clickhouse/index.js'
import { ledgerUrl } from './transfers.js'

const TIMEOUT_MS = 30_000

/**
 * Null if the transfers are in Postgres. Throws a `LedgerStoreError` if ClickHouse does not answer, or is not the one that imports of the database wrote
 * to. An installation that begins has no database yet.
 */
export async function transferStoreState(database?: Queryable): Promise<StoreState | null> {
  const url = ledgerUrl()
  if (url === undefined) return null
  const clickHouse = openClickHouse({ url, timeoutMs: TIMEOUT_MS })
  try {
    const state = await readStoreState(clickHouse)
    if (database !== undefined && state.missing.length === 0) await requireRuns(database, clickHouse)
    return state
  } finally {
    await clickHouse.close()
  }
}

/** Creates database and tables. Safe to repeat. */
export async function prepareTransferStore(): Promise<void> {
  const url = ledgerUrl()
  if (url === undefined) return
  await createLedgerDatabase({ url, timeoutMs: TIMEOUT_MS })
  const clickHouse = openClickHouse({ url, timeoutMs: TIMEOUT_MS })
  try {
    await createTransferTables(clickHouse)
  } finally {
    await clickHouse.close()
  }
}
