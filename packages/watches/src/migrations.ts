import { fileURLToPath } from 'node:url'
import type { Database, MigrationSource } from '@cupel/postgres'
import { ensureTenantRole, raiseTenantWalls } from '@cupel/projections'

/** The tables of this package, schema `watches`. */
export const watchesMigrations: MigrationSource = {
  owner: 'watches',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}

/** Row security on the watches, as on read models (docs/adr/0150). Safe to repeat. */
export async function installWatchWalls(database: Database): Promise<void> {
  await database.transaction({ at: 'watches.change' }, async (transaction) => {
    await ensureTenantRole(transaction)
    await raiseTenantWalls(transaction, 'watches')
  })
}
