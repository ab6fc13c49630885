import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The schema `labels`. */
export const labelsMigrations: MigrationSource = {
  owner: 'labels',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
