import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `heartbeats`. */
export const heartbeatsMigrations: MigrationSource = {
  owner: 'heartbeats',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
