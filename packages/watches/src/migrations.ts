import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `watches`. */
export const watchesMigrations: MigrationSource = {
  owner: 'watches',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
