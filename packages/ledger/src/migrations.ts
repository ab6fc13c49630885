import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `ledger`. */
export const ledgerMigrations: MigrationSource = {
  owner: 'ledger',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
