import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `checkpoints`. */
export const checkpointsMigrations: MigrationSource = {
  owner: 'checkpoints',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
