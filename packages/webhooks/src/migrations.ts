import { fileURLToPath } from 'node:url'
import type { MigrationSource } from '@cupel/postgres'

/** The tables of this package, schema `webhooks`. */
export const webhooksMigrations: MigrationSource = {
  owner: 'webhooks',
  directory: fileURLToPath(new URL('./sql', import.meta.url)),
}
