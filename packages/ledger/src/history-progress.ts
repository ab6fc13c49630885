/** How far the readings of histories are, for whoever waits for them in another process. */
import type { Queryable } from '@cupel/postgres'

export interface HistoryPlace {
  readonly accountId: string
  readonly chain: string
  /** Canonical. */
  readonly address: string
}

/** Of all readings that were begun for one screened address of an account. */
export interface HistoryProgress extends HistoryPlace {
  readonly state: 'reading' | 'read' | 'failed'
  /** Why the newest reading failed; empty if none did. */
  readonly reason: string
  /** Empty before one was asked. */
  readonly provider: string
  readonly pages: number
  /** Null if the provider does not tell how many there are. */
  readonly pagesExpected: number | null
  /** Histories of other addresses that are still to be read. */
  readonly waiting: number
}

/** Whoever reads tells it at least so often. */
export const TOLD_EVERY_MS = 5_000
/** A reading that was not told for longer has died with its process. */
export const DEAD_AFTER_S = 20
export const KEPT_HOURS = 24

/** Replaces what was told of each of these addresses. */
export async function tellHistoryProgress(
  database: Queryable,
  told: readonly HistoryProgress[],
): Promise<void> {
  await database.execute(
    {
      name: 'ledger.tell-history-progress',
      text: `
        INSERT INTO ledger.history_progress (account_id, chain, address, state, reason, provider, pages, pages_expected, waiting, told_at)
        SELECT *, clock_timestamp()
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int4[], $8::int4[], $9::int4[])
        ON CONFLICT (account_id, chain, address) DO UPDATE SET (state, reason, provider, pages, pages_expected, waiting, told_at) =
          (excluded.state, excluded.reason, excluded.provider, excluded.pages, excluded.pages_expected, excluded.waiting,
           excluded.told_at)`,
    },
    [
      told.map(({ accountId }) => accountId),
      ...[told.map(({ chain }) => chain), told.map(({ address }) => address)],
      ...[told.map(({ state }) => state), told.map(({ reason }) => reason)],
      ...[told.map(({ provider }) => provider), told.map(({ pages }) => pages)],
      ...[told.map(({ pagesExpected }) => pagesExpected), told.map(({ waiting }) => waiting)],
    ],
  )
}

export async function forgetOldProgress(database: Queryable): Promise<void> {
  await database.execute(
    {
      name: 'ledger.forget-history-progress',
      text: `DELETE FROM ledger.history_progress WHERE told_at < clock_timestamp() - make_interval(hours => $1)`,
    },
    [KEPT_HOURS],
  )
}

export interface ToldProgress extends Omit<HistoryProgress, 'state' | keyof HistoryPlace> {
  /** `stopped`: whoever read it has died, and nobody reads on until the next screen. */
  readonly state: HistoryProgress['state'] | 'stopped'
}

/** What was told since a moment (UTC, RFC 3339); null if nothing was. */
export async function historyProgress(
  database: Queryable,
  { accountId, chain, address }: HistoryPlace,
  since: string,
): Promise<ToldProgress | null> {
  const [row] = await database.query<Record<keyof ToldProgress, unknown>>(
    {
      name: 'ledger.history-progress',
      text: `
        SELECT CASE WHEN state = 'reading' AND told_at < clock_timestamp() - make_interval(secs => ${DEAD_AFTER_S})
            THEN 'stopped' ELSE state END AS state,
          reason, provider, pages, pages_expected AS "pagesExpected", waiting
        FROM ledger.history_progress WHERE account_id = $1 AND chain = $2 AND address = $3 AND told_at >= $4::timestamptz`,
    },
    [accountId, chain, address, since],
  )
  return (row as unknown as ToldProgress | undefined) ?? null
}
