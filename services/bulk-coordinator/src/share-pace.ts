/**
 * One window for all coordinators. Each one tells the others its measurements of a period and reads theirs. Its part of the window is its
 * part of all accounts with work: an account with work at several coordinators counts at each for its part.
 */
import type { Queryable } from '@cupel/postgres'
import type { Measurement, SharedReading } from './pace.js'
import type { Holding } from './shard-table.js'

/** The message of one coordinator to the others. */
export interface Told extends Measurement {
  readonly holder: string
  readonly shards: readonly number[]
  /** Accounts with screenings to release. */
  readonly accounts: readonly string[]
  /** Number of further such accounts, which are not named. */
  readonly furtherAccounts: number
}

/** A coordinator that told nothing for this long does not count. */
const FRESH_MS = 2_000
/** Accounts that a coordinator names at most. */
const MAX_NAMED_ACCOUNTS = 1_000

export function toldBy(
  { holder, shards }: Holding,
  measured: Measurement,
  accounts: readonly string[],
): Told {
  return {
    ...measured,
    holder,
    shards: shards.map(({ shard }) => shard),
    accounts: accounts.slice(0, MAX_NAMED_ACCOUNTS),
    furtherAccounts: Math.max(0, accounts.length - MAX_NAMED_ACCOUNTS),
  }
}

/** Tells the others, and resolves to their recent messages. */
export async function exchange(database: Queryable, told: Told): Promise<Told[]> {
  return await database.query<Told>(
    {
      name: 'bulk.exchange',
      text: `WITH told AS (
               INSERT INTO bulk.holder AS h (holder, shards, ended_per_second, screens, late_screens, was_full, accounts,
                 further_accounts, told_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
               ON CONFLICT (holder) DO UPDATE SET shards = excluded.shards, ended_per_second = excluded.ended_per_second,
                 screens = excluded.screens, late_screens = excluded.late_screens, was_full = excluded.was_full,
                 accounts = excluded.accounts, further_accounts = excluded.further_accounts, told_at = excluded.told_at)
             SELECT holder, shards, ended_per_second AS "endedPerSecond", screens, late_screens AS "lateScreens",
               was_full AS "wasFull", accounts, further_accounts AS "furtherAccounts"
             FROM bulk.holder WHERE holder <> $1 AND told_at > clock_timestamp() - make_interval(secs => $9::float8 / 1000)`,
    },
    [
      ...[told.holder, told.shards, told.endedPerSecond, told.screens, told.lateScreens, told.wasFull],
      ...[told.accounts, told.furtherAccounts, FRESH_MS],
    ],
  )
}

/** `shardCount`: the shards of the installation. */
export function combine(own: Told, others: readonly Told[], shardCount: number): SharedReading {
  const all = [own, ...others]
  const places = new Map<string, number>()
  for (const { accounts } of all)
    for (const account of accounts) places.set(account, (places.get(account) ?? 0) + 1)
  const placesOf = (account: string): number => places.get(account) ?? 1
  const demandOf = ({ accounts, furtherAccounts }: Told): number =>
    accounts.reduce((sum, account) => sum + 1 / placesOf(account), furtherAccounts)
  const sum = (of: (told: Told) => number): number => all.reduce((total, told) => total + of(told), 0)
  const demand = sum(demandOf)
  return {
    endedPerSecond: sum((told) => told.endedPerSecond),
    screens: sum((told) => told.screens),
    lateScreens: sum((told) => told.lateScreens),
    wasFull: all.some(({ wasFull }) => wasFull),
    // While no coordinator has work, each one begins with an equal part.
    share: demand === 0 ? 1 / all.length : demandOf(own) / demand,
    coordinators: all.length,
    isComplete: new Set(all.flatMap(({ shards }) => shards)).size >= shardCount,
    placesOf,
  }
}
