/** The transfers of the ledger in ClickHouse. */
import type { Queryable } from '@cupel/postgres'
import type { TransferReader } from '../transfer-store.js'
import type { ClickHouse } from './client.js'
import { countsIn } from './counts.js'
import { movementsIn } from './movements.js'
import { rowsIn } from './rows.js'

export const transfersIn = (database: Queryable, clickHouse: ClickHouse): TransferReader => ({
  ...rowsIn(database, clickHouse),
  ...countsIn(database, clickHouse),
  ...movementsIn(database, clickHouse),
})

export { neighboursIn } from './neighbours.js'
export { transferWriterIn } from './writer.js'
export { createTransferTables, missingTables, readStoreState, type StoreState } from './tables.js'
export { requireRuns } from './runs.js'
export { readSideSums, rowsToSum } from './sums.js'
export { LedgerStoreError } from './client.js'
