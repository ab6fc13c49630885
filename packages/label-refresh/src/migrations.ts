import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The table of this package, schema `label_refresh`. */
export const labelRefreshMigrations: MigrationSource = {
  owner: 'label_refresh',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
