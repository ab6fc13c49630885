/** The calls to providers of histories, over all processes: so many a day, and a pause between two, by provider. */
import type { Queryable } from '@cupel/postgres'

export interface HistoryCallLimits {
  readonly callsPerDay: number
  readonly callsPerSecond: number
}

/** Milliseconds to wait before a call; or why there must be none: the calls of the UTC day, or those that an account may take of them, are used up. */
export type HistoryCall =
  | { readonly waitMs: number }
  | { readonly refused: 'day_budget' | 'account_day_budget' }

/** UTC day. */
const TODAY = `(clock_timestamp() AT TIME ZONE 'UTC')::date`
const USED = `coalesce((SELECT calls FROM ledger.history_call WHERE provider = $1 AND day = ${TODAY}), 0)`

/**
 * Takes one call of the provider for an account. An account has a call as long as it took fewer than are left of the day: however many
 * accounts take all that they may, another one finds as many calls left as the one before it.
 */
export async function takeHistoryCall(
  database: Queryable,
  { provider, accountId }: { readonly provider: string; readonly accountId: string },
  { callsPerDay, callsPerSecond }: HistoryCallLimits,
): Promise<HistoryCall> {
  const [row] = await database.query<{ wait_ms: number | null; used: number }>(
    {
      name: 'ledger.take-history-call',
      text: `
        WITH own AS (
          INSERT INTO ledger.history_call_of_account AS own (provider, account_id, day, calls)
          SELECT $1, $4, ${TODAY}, 1 WHERE ${USED} < $2
          ON CONFLICT (provider, account_id) DO UPDATE SET day = ${TODAY},
            calls = CASE WHEN own.day = ${TODAY} THEN own.calls + 1 ELSE 1 END
          WHERE own.day <> ${TODAY} OR own.calls < $2 - ${USED}
          RETURNING calls),
        taken AS (
          INSERT INTO ledger.history_call AS known (provider, day, calls, next_at)
          SELECT $1, ${TODAY}, 1, clock_timestamp() + make_interval(secs => $3::float8) FROM own
          ON CONFLICT (provider) DO UPDATE SET day = ${TODAY},
            calls = CASE WHEN known.day = ${TODAY} THEN known.calls + 1 ELSE 1 END,
            next_at = greatest(known.next_at, clock_timestamp()) + make_interval(secs => $3::float8)
          WHERE known.day <> ${TODAY} OR known.calls < $2
          RETURNING (extract(epoch FROM next_at - clock_timestamp())::float8 - $3::float8) * 1000 AS wait_ms)
        SELECT (SELECT wait_ms FROM taken), ${USED} AS used`,
    },
    [provider, callsPerDay, 1 / callsPerSecond, accountId],
  )
  const { wait_ms: waitMs, used } = row!
  if (waitMs !== null) return { waitMs: Math.max(0, waitMs) }
  return { refused: used < callsPerDay ? 'account_day_budget' : 'day_budget' }
}
