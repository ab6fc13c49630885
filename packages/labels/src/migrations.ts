import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The table of this package, schema `labels`. */
export const labelsMigrations: MigrationSource = {
  owner: 'labels',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
