import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `transparency`. */
export const transparencyMigrations: MigrationSource = {
  owner: 'transparency',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
