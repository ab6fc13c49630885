/** The calls to providers of histories, over all processes: so many a day, and a pause between two, by provider. */
import type { Queryable } from '@cupel/postgres'

export interface HistoryCallLimits {
  readonly callsPerDay: number
  readonly callsPerSecond: number
}

/** UTC day. */
const TODAY = `(clock_timestamp() AT TIME ZONE 'UTC')::date`

/**
 * Takes one call of the provider. Returns the milliseconds to wait before it, so that calls of all processes are apart; null if those of the
 * UTC day are used up.
 */
export async function takeHistoryCall(
  database: Queryable,
  provider: string,
  { callsPerDay, callsPerSecond }: HistoryCallLimits,
): Promise<number | null> {
  if (callsPerDay === 0) return null
  const rows = await database.query<{ wait_ms: number }>(
    {
      name: 'ledger.take-history-call',
      text: `
        INSERT INTO ledger.history_call AS known (provider, day, calls, next_at)
        VALUES ($1, ${TODAY}, 1, clock_timestamp() + make_interval(secs => $3::float8))
        ON CONFLICT (provider) DO UPDATE SET day = ${TODAY},
          calls = CASE WHEN known.day = ${TODAY} THEN known.calls + 1 ELSE 1 END,
          next_at = greatest(known.next_at, clock_timestamp()) + make_interval(secs => $3::float8)
        WHERE known.day <> ${TODAY} OR known.calls < $2
        RETURNING (extract(epoch FROM next_at - clock_timestamp())::float8 - $3::float8) * 1000 AS wait_ms`,
    },
    [provider, callsPerDay, 1 / callsPerSecond],
  )
  return rows[0] === undefined ? null : Math.max(0, rows[0].wait_ms)
}
