/** A ledger whose transfers are in ClickHouse. */
import { openClickHouse } from '../../src/store/clickhouse/client.js'
import {
  createTransferTables,
  neighboursIn,
  transfersIn,
  transferWriterIn,
} from '../../src/store/clickhouse/index.js'
import { startLedger } from '../installation.js'
import type { Chdb } from './start-chdb.js'

/** As many as in Postgres: deaths at the second batch and the third one. */
const BATCH_TRANSFERS = 5_000

export async function openOnClickHouse(chdb: Chdb) {
  const clickHouse = openClickHouse({ url: chdb.newDatabase(), timeoutMs: 60_000 })
  await createTransferTables(clickHouse)
  const writer = (database: Parameters<typeof transferWriterIn>[0]) =>
    transferWriterIn(database, clickHouse, BATCH_TRANSFERS)
  const base = await startLedger(writer)
  const { database } = base
  const ledger: typeof base = {
    ...base,
    close: async () => {
      await base.close()
      await clickHouse.close()
    },
  }
  return {
    ...{ ledger, clickHouse, writer },
    transfers: transfersIn(database, clickHouse),
    neighbours: neighboursIn(database, clickHouse),
  }
}
