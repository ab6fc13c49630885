import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `cases`. */
export const casesMigrations: MigrationSource = {
  owner: 'cases',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
