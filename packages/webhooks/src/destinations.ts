/**
 * The rate limit for calls of a place, over all accounts and all dispatchers: a token bucket for each host with its port, and one for
 * each address, because many names may lead to one address (docs/adr/0112).
 */
import type { Queryable } from '@cupel/postgres'

export interface DestinationLimits {
  /** Messages per second. */
  readonly perSecond: number
  /** Messages at once after a pause. */
  readonly burst: number
}

/** Maximum wait of a message that gets no token; then it requests one again. */
const LONGEST_WAIT_MS = 60_000
const SECOND_US = 1_000_000
/** A bucket that has been full for this long is deleted: without it nothing changes. */
const FORGET_AFTER_MS = 3_600_000

interface Taken {
  readonly name: string
  readonly wanted: number
  readonly granted: number
  /** When the last message without a token has its turn, in microseconds from now. */
  readonly turnInUs: number
}

/**
 * The arithmetic of `takeTokens` of the domain. Messages without a token get turns at the rate of the bucket, one after the
 * other, so that a thousand waiting messages do not all return at once. The clock is the database clock. It is read again once the
 * row is locked: with a time from before its wait, a call would give back what another one took meanwhile.
 */
const TAKE = {
  name: 'webhooks.take-destination-tokens',
  text: `WITH clock AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS now_us)
    INSERT INTO webhooks.destination AS d (name, full_at_us, turn_at_us, wanted, granted)
    SELECT name, now_us + least(count(*), $2::int8) * $3::int8,
      least(now_us + greatest(count(*) - $2::int8, 0) * $3::int8, now_us + $4::int8), count(*), least(count(*), $2::int8)
    FROM unnest($1::text[]) AS wanted (name), clock GROUP BY name, now_us ORDER BY name
    ON CONFLICT (name) DO UPDATE SET (full_at_us, turn_at_us, wanted, granted) = (
      SELECT from_us + g * $3::int8,
        CASE WHEN excluded.wanted = g THEN d.turn_at_us
          ELSE least(greatest(d.turn_at_us, now_us) + (excluded.wanted - g) * $3::int8, now_us + $4::int8) END,
        excluded.wanted, g
      FROM (SELECT now_us, from_us, least(excluded.wanted, (now_us + $2::int8 * $3::int8 - from_us) / $3::int8) AS g
            FROM (SELECT now_us, least(greatest(d.full_at_us, now_us), now_us + $2::int8 * $3::int8) AS from_us
                  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS now_us) locked) b) t)
    RETURNING name, wanted, granted, greatest(turn_at_us - (SELECT now_us FROM clock), 0) AS "turnInUs"`,
}

/**
 * Takes a token for each place of each message. Returns the wait of each message in milliseconds: 0 if it has a token
 * for all its places. A message that waits may have taken a token of one place without using it.
 */
export async function takeDestinationTokens(
  database: Queryable,
  { perSecond, burst }: DestinationLimits,
  messages: readonly (readonly string[])[],
): Promise<number[]> {
  const intervalUs = Math.max(1, Math.round(SECOND_US / perSecond))
  const rows = await database.query<Taken>(TAKE, [
    messages.flat(),
    burst,
    intervalUs,
    LONGEST_WAIT_MS * 1_000,
  ])
  const buckets = new Map(rows.map((row) => [row.name, { ...row, used: 0 }]))
  return messages.map((places) => {
    const waitsUs = places.map((place) => {
      const bucket = buckets.get(place)!
      bucket.used += 1
      if (bucket.used <= bucket.granted) return 0
      return Math.max(intervalUs, bucket.turnInUs - (bucket.wanted - bucket.used) * intervalUs)
    })
    return Math.ceil(Math.max(0, ...waitsUs) / 1_000)
  })
}

/** Deletes the full buckets. */
export async function forgetDestinations(database: Queryable): Promise<void> {
  await database.execute(
    `DELETE FROM webhooks.destination
     WHERE greatest(full_at_us, turn_at_us) < (extract(epoch FROM now()) * 1000000)::int8 - $1::int8`,
    [FORGET_AFTER_MS * 1_000],
  )
}
