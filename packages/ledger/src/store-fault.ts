/** Whether this process looks for transfers where the imports of the ledger left them: elsewhere it would find none. */
import type { Queryable } from '@cupel/postgres'
import { engineOfLedger } from './store/transfers.js'

/** For this process. */
export const ledgerStoreFault = (database: Queryable): Promise<string | null> =>
  storeFault(database, engineOfLedger())

/** A sentence; null if it does. */
export async function storeFault(
  database: Queryable,
  engine: 'postgres' | 'clickhouse',
): Promise<string | null> {
  const [row] = await database.query<{ in_clickhouse: boolean; in_postgres: boolean }>({
    name: 'ledger.store-fault',
    text: `SELECT EXISTS (SELECT FROM ledger.store_run) AS in_clickhouse, EXISTS (SELECT FROM ledger.transfer) AS in_postgres`,
  })
  if (engine === 'postgres' && row!.in_clickhouse)
    return 'The transfers of this ledger are in ClickHouse: set CUPEL_LEDGER_URL.'
  if (engine === 'clickhouse' && row!.in_postgres)
    return 'The transfers of this ledger are in Postgres: unset CUPEL_LEDGER_URL, or begin with an empty ledger and import its files again.'
  return null
}
