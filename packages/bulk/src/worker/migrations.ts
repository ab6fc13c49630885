import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of the bulk coordinator, schema `bulk`. */
export const bulkMigrations: MigrationSource = {
  owner: 'bulk',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
