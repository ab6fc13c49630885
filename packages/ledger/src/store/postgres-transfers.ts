/** The transfers of the ledger in Postgres. */
import type { Queryable } from '@cupel/postgres'
import { countsIn } from './postgres-counts.js'
import { movementsIn } from './postgres-movements.js'
import { rowsIn } from './postgres-rows.js'
import type { TransferReader } from './transfer-store.js'

export const transfersIn = (database: Queryable): TransferReader => ({
  ...rowsIn(database),
  ...countsIn(database),
  ...movementsIn(database),
})
