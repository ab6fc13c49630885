/**
 * Writes a digest of its watches once a day for each account and environment that wants one. The day is in the id of the digest, and row
 * and event change together, so that neither a restart nor a second coordinator makes another one.
 */
import { decidedEventId, type EventData } from '@cupel/contracts'
import { asFields, timeText, type Database, type Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { writeWatchEvents } from './events.js'
import { FAILING_AFTER } from './limits.js'
import type { Owner } from './watch.js'

/** Maximum number of changes, and of watches that keep failing, that one digest lists. */
export const MAX_DIGEST_ITEMS = 100

export interface DigestTime {
  /** Hour of the day, UTC, at which a digest ends. */
  readonly hour: number
  /** UTC, RFC 3339; by default the database clock, which all coordinators share. */
  readonly now?: string
}

/** Resolves to the number of due digests that were written. */
export async function writeDigests(database: Database, time: DigestTime): Promise<number> {
  const owners = await database.query<Owner & Record<string, unknown>>(
    { name: 'watches.digests-due', text: DUE },
    [time.hour, time.now ?? null],
  )
  let written = 0
  for (const owner of owners) {
    const isWritten = await database.transaction({ at: 'watches.digested' }, (transaction) =>
      writeDigest(transaction, owner, time),
    )
    if (isWritten) written += 1
  }
  return written
}

/** The last time at which a digest ended or should have. */
const LAST_END = `(date_trunc('day', coalesce($2::timestamptz, clock_timestamp()) - make_interval(hours => $1), 'UTC') + make_interval(hours => $1))`
/** A day with a digest gets no other one, even if the hour was changed or the clock went back. */
const isLaterDay = (toldUntil: string): string =>
  `(${LAST_END} AT TIME ZONE 'UTC')::date > (${toldUntil} AT TIME ZONE 'UTC')::date`

const DUE = `
  SELECT ${asFields('t.account_id, t.livemode')}
  FROM (SELECT DISTINCT account_id, livemode FROM watches.watch WHERE digest) t
  LEFT JOIN watches.digest d ON d.account_id = t.account_id AND d.livemode = t.livemode
  WHERE d.told_until IS NULL OR ${isLaterDay('d.told_until')}
  ORDER BY t.account_id, t.livemode`

async function writeDigest(
  transaction: Queryable,
  { accountId, livemode }: Owner,
  { hour, now = undefined }: DigestTime,
): Promise<boolean> {
  const begun = await transaction.execute(
    `INSERT INTO watches.digest (account_id, livemode, told_until) VALUES ($3, $4, ${LAST_END}) ON CONFLICT DO NOTHING`,
    [hour, now ?? null, accountId, livemode],
  )
  // The first digest covers the day that begins here.
  if (begun > 0) return false
  const [window] = await transaction.query<{ from: string; until: string; day: string }>(
    `SELECT ${timeText('d.told_until')} AS "from", ${timeText(LAST_END)} AS "until",
       to_char(${LAST_END} AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
     FROM watches.digest d WHERE d.account_id = $3 AND d.livemode = $4 AND ${isLaterDay('d.told_until')} FOR UPDATE`,
    [hour, now ?? null, accountId, livemode],
  )
  if (window === undefined) return false
  const { from, until, day } = window
  const owner = [accountId, livemode]
  const changed = await transaction.query<Changed>(TAKE_CHANGES, [...owner, day, MAX_DIGEST_ITEMS])
  const [counts] = await transaction.query<Counts>(COUNTS, [...owner, FAILING_AFTER, day])
  const failures = await transaction.query<Failing>(FAILURES, [...owner, FAILING_AFTER, MAX_DIGEST_ITEMS])
  await transaction.execute(
    'UPDATE watches.digest SET told_until = $3::timestamptz WHERE account_id = $1 AND livemode = $2',
    [...owner, until],
  )
  const { watched, undecided, unknown, failing } = counts!
  const changedCount = changed[0]?.count ?? 0
  const id = decidedEventId('WatchesDigested', accountId, String(livemode), day)
  const data = {
    ...{ accountId, livemode, day, from, until, watched, undecided, unknown, failing, changed: changedCount },
    unchanged: watched - undecided - unknown - changedCount,
    changes: changed.map(changeOf),
    failures,
  }
  await writeWatchEvents(transaction, [
    { type: outboxType('WatchesDigested'), id, subject: id, time: until, data },
  ])
  return true
}

function changeOf(changed: Changed): EventData['WatchesDigested']['changes'][number] {
  const { watchId, address, chain, previousReportId, previousLevel, previousScore } = changed
  const { reportId, level, score } = changed
  return {
    ...{ watchId, address, chain, previousReportId, previousLevel, previousScore },
    ...{ reportId, level, score },
  }
}

interface Changed extends Record<string, unknown> {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  readonly previousReportId: string
  readonly previousLevel: string
  readonly previousScore: number
  readonly reportId: string
  readonly level: string
  readonly score: number
  /** All changes, including those beyond the limit. */
  readonly count: number
}

interface Counts extends Record<string, unknown> {
  readonly watched: number
  readonly undecided: number
  readonly unknown: number
  readonly failing: number
}

interface Failing extends Record<string, unknown> {
  readonly watchId: string
  readonly address: string
  readonly chain: string
  readonly failures: number
}

const COUNTED = `w.account_id = $1 AND w.livemode = $2 AND w.digest AND (w.until IS NULL OR w.until > clock_timestamp())`

/**
 * The changes since the last digest, the highest scores first. A change that is notified while this runs is part of the next digest:
 * the report at which the last digest ended decides, not a time.
 */
const TAKE_CHANGES = `
  WITH before AS (
    SELECT w.watch_id, w.digest_report_id, w.digest_level, w.digest_score FROM watches.watch w
    WHERE ${COUNTED} AND w.told_report_id <> w.digest_report_id ORDER BY w.watch_id FOR UPDATE),
  taken AS (
    UPDATE watches.watch w SET digest_report_id = w.told_report_id, digest_level = w.told_level, digest_score = w.told_score,
      digest_day = $3::date
    FROM before WHERE before.watch_id = w.watch_id
    RETURNING ${asFields('w.watch_id, w.address, w.chain')}, before.digest_report_id AS "previousReportId",
      before.digest_level AS "previousLevel", before.digest_score AS "previousScore", w.told_report_id AS "reportId",
      w.told_level AS level, w.told_score AS score)
  SELECT *, (count(*) OVER ())::int4 AS count FROM taken ORDER BY score DESC, "watchId" LIMIT $4`

/** A watch that is or becomes due, or is being decided, may have changed already, and of one that failed nobody knows: neither is unchanged. */
const COUNTS = `
  SELECT count(*)::int4 AS watched, (count(*) FILTER (WHERE w.report_id IS NULL))::int4 AS undecided,
    (count(*) FILTER (WHERE w.report_id IS NOT NULL AND w.digest_day IS DISTINCT FROM $4::date
      AND (w.failures > 0 OR w.pending_report_id IS NOT NULL OR w.due_at IS NOT NULL)))::int4 AS unknown,
    (count(*) FILTER (WHERE w.failures >= $3))::int4 AS failing
  FROM watches.watch w WHERE ${COUNTED}`

const FAILURES = `
  SELECT ${asFields('w.watch_id, w.address, w.chain, w.failures')} FROM watches.watch w
  WHERE ${COUNTED} AND w.failures >= $3 ORDER BY w.failures DESC, w.watch_id LIMIT $4`

/** Records the digest as told, so that a restored database does not send it again. */
export async function replayDigest(
  transaction: Queryable,
  { accountId, livemode, until }: Owner & { readonly until: string },
): Promise<void> {
  await transaction.execute(
    `INSERT INTO watches.digest AS d (account_id, livemode, told_until) VALUES ($1, $2, $3::timestamptz)
     ON CONFLICT (account_id, livemode) DO UPDATE SET told_until = greatest(d.told_until, excluded.told_until)`,
    [accountId, livemode, until],
  )
}
