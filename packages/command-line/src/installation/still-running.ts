import type { Database } from '@cupel/postgres'
import { logServices } from '@cupel/operation/connections'

/** A sentence where a service is connected to the database: it would work on data that the restore changes. */
export async function stillRunning(database: Database): Promise<string | null> {
  const rows = await database.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ANY ($1::text[]) ORDER BY 1`,
    [logServices.map((service) => `cupel-${service}`)],
  )
  if (rows.length === 0) return null
  return `Stop every service first: ${rows.map(({ name }) => name).join(', ')} are connected to the database.`
}
