/** The tables of a ledger whose transfers are in ClickHouse, for those who install and examine an installation. */
import { createLedgerDatabase, openClickHouse } from './clickhouse/client.js'
import { createTransferTables, readStoreState, type StoreState } from './clickhouse/index.js'
import { ledgerUrl } from './transfers.js'

const TIMEOUT_MS = 30_000

/** Null if the transfers are in Postgres. Throws a `LedgerStoreError` if ClickHouse does not answer. */
export async function transferStoreState(): Promise<StoreState | null> {
  const url = ledgerUrl()
  if (url === undefined) return null
  const clickHouse = openClickHouse({ url, timeoutMs: TIMEOUT_MS })
  try {
    return await readStoreState(clickHouse)
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
