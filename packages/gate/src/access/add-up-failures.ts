/** Adds up the failed authentications of all instances, in the database. */
import { failpoint } from '@cupel/kit/failpoints'
import type { Database } from '@cupel/postgres'
import { FAILURE_WINDOW_MS, type BlockedClient, type RecentFailure } from './auth-failures.js'

/** Rows deleted, and clients returned, by one call. */
const MAX_ROWS = 5_000

const ADD_UP = {
  name: 'access.share_failures',
  text: 'SELECT client, blocked_ms AS "blockedMs" FROM access.share_failures($1::text[], $2::bigint[], $3::int, $4::bigint, $5::int)',
}

/** Stores the failures of this instance; returns the clients that are beyond the limit over all instances. */
export async function addUpFailures(
  database: Database,
  failures: readonly RecentFailure[],
  maxPerMinute: number,
): Promise<BlockedClient[]> {
  failpoint('before', 'access.auth-failures')
  const blocked = await database.query<BlockedClient>(ADD_UP, [
    failures.map(({ client }) => client),
    failures.map(({ ageMs }) => ageMs),
    maxPerMinute,
    FAILURE_WINDOW_MS,
    MAX_ROWS,
  ])
  failpoint('after', 'access.auth-failures')
  return blocked
}
