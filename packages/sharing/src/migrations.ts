import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The table of this package, schema `sharing`. */
export const sharingMigrations: MigrationSource = {
  owner: 'sharing',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
