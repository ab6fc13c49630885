/** Tells the metrics how large the database is, so that its growth can be forecast: Postgres does not tell how much room it has. */
import type { Logger, Metrics } from '@cupel/contracts'
import { startLoop } from '@cupel/kit/concurrency'
import type { Database } from '@cupel/postgres'

export interface DatabaseSizeOptions {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Postgres looks at each file of the database. */
const LOOK_INTERVAL_MS = 60_000

/** Until the first look there is no series: a gauge would begin at 0, and a forecast with it. */
export function watchDatabaseSize({ database, logger, metrics }: DatabaseSizeOptions): {
  stop(): Promise<void>
} {
  return startLoop({
    restMs: LOOK_INTERVAL_MS,
    async step() {
      const [row] = await database.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database())::text AS bytes',
      )
      metrics
        .gauge('database_bytes', 'Bytes of the database on the disk of Postgres.')
        .set(Number(row!.bytes))
    },
    onError: (error) => logger.warn({ err: error }, 'The size of the database could not be read'),
  })
}
