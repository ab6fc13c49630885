/** Adds the failed authentications of all instances up, in the database. */
import { failpoint } from '@cupel/failpoints'
import type { Database } from '@cupel/postgres'
import { FAILURE_WINDOW_MS, type BlockedClient, type ToldFailure } from './auth-failures.js'

/** Rows deleted, and clients returned, by one exchange. */
const MAX_ROWS = 5_000

const EXCHANGE = {
  name: 'access.exchange_failures',
  text: 'SELECT client, blocked_ms FROM access.exchange_failures($1::text[], $2::bigint[], $3::int, $4::bigint, $5::int)',
}

export async function exchangeFailures(
  database: Database,
  failures: readonly ToldFailure[],
  maxPerMinute: number,
): Promise<BlockedClient[]> {
  failpoint('before', 'access.auth-failures')
  const rows = await database.query<{ client: string; blocked_ms: number }>(EXCHANGE, [
    failures.map(({ client }) => client),
    failures.map(({ ageMs }) => ageMs),
    maxPerMinute,
    FAILURE_WINDOW_MS,
    MAX_ROWS,
  ])
  failpoint('after', 'access.auth-failures')
  return rows.map((row) => ({ client: row.client, blockedMs: row.blocked_ms }))
}
