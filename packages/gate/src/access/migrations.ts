import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `access`. */
export const accessMigrations: MigrationSource = {
  owner: 'access',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
