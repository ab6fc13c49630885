import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** Tables of the log and of its schemas, in the Postgres schema `log`. */
export const eventLogMigrations: MigrationSource = {
  owner: 'event-log',
  directory: fileURLToPath(new URL('../sql/', import.meta.url)),
}
