import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The table of keys, schema `personal_data`. */
export const personalDataMigrations: MigrationSource = {
  owner: 'personal-data',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
