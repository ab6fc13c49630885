/** The sums of all rows of imports, whichever store the transfers have. */
import type { Queryable } from '@cupel/postgres'
import { added, readRowSums, type RowSums } from './row-sums.js'
import { readSideSums, rowsToSum } from './store/clickhouse/index.js'
import { clickHouseOfLedger } from './store/transfers.js'

type AfterSlice = (sliceMs: number) => Promise<boolean>

/** Reads what is in Postgres, and returns how the rest is read: null if `afterSlice` ended the reading. */
export async function beginSums(
  database: Queryable,
  afterSlice: AfterSlice = () => Promise.resolve(true),
): Promise<(() => Promise<RowSums | null>) | null> {
  const here = await readRowSums(database, afterSlice)
  if (here === null) return null
  const clickHouse = clickHouseOfLedger()
  if (clickHouse === null) return () => Promise.resolve(here)
  const rows = await rowsToSum(database)
  return async () => {
    const sides = await readSideSums(clickHouse, rows, afterSlice)
    if (sides === null) return null
    // Equal sides count once. If they differ, the result is what neither of them is.
    const { sent, received } = sides
    return added(added(here, received), added(received, sent, -1n))
  }
}
