import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

export const projectionsMigrations: MigrationSource = {
  owner: 'projections',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
