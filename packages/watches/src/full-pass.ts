/**
 * The net under the search for watches that a segment affects: within a day every watch of a chain of the ledger is decided again, whether or
 * not a change was found for it. A pass goes through the watches a few at a time, and rests until its day is over.
 */
import type { Database, Queryable } from '@cupel/postgres'

const HOUR_MS = 3_600_000
/** From the beginning of a pass to that of the next one. */
export const FULL_PASS_MS = 24 * HOUR_MS
/** A pass marks its last watch after this time, if nothing delays it. */
const MARKING_MS = 12 * HOUR_MS
/** A pass that has not ended for longer stands still. */
export const FULL_PASS_LATE_MS = 2 * FULL_PASS_MS

/** Marks the watches whose turn came in the last `stepMs` milliseconds. Resolves to the time at which the last pass ended, in seconds since 1970. */
export async function goOnWithFullPass(database: Database, stepMs: number): Promise<number> {
  return await database.transaction({ at: 'watches.passed' }, async (transaction) => {
    const [pass] = await transaction.query<{ at: string | null; passed_at_s: number }>(
      `UPDATE watches.progress SET pass_at = CASE WHEN ${BEGINS} THEN '' ELSE pass_at END,
         pass_began_at = CASE WHEN ${BEGINS} THEN now() ELSE pass_began_at END
       RETURNING pass_at AS at, extract(epoch FROM passed_at)::float8 AS passed_at_s`,
      [FULL_PASS_MS],
    )
    // Before the first look at the state there is no progress, and every watch is due.
    if (pass === undefined) return Date.now() / 1_000
    return pass.at === null ? pass.passed_at_s : await markNext(transaction, { ...pass, at: pass.at, stepMs })
  })
}

const BEGINS = `pass_at IS NULL AND pass_began_at <= now() - make_interval(secs => $1::float8 / 1000)`

async function markNext(
  transaction: Queryable,
  {
    at,
    passed_at_s: passedAtS,
    stepMs,
  }: { readonly at: string; readonly passed_at_s: number; readonly stepMs: number },
): Promise<number> {
  const [next] = await transaction.query<{ last: string | null; is_end: boolean }>(
    `WITH part AS (
       SELECT watch_id FROM watches.watch WHERE watch_id > $1 ORDER BY watch_id
       LIMIT greatest(1, ceil((SELECT count(*) FROM watches.watch) * $2::float8)::int8)),
     marked AS (
       UPDATE watches.watch w SET due_at = now(), causes = w.causes || 'ledger'::text
       WHERE w.watch_id IN (SELECT watch_id FROM part) AND w.livemode AND w.due_at IS NULL AND w.pending_report_id IS NULL
         AND (w.until IS NULL OR w.until > now())
         AND EXISTS (SELECT FROM ledger.segment s WHERE w.chain = s.chain OR w.candidate_chains::jsonb ? s.chain))
     SELECT max(watch_id) AS last, NOT EXISTS (SELECT FROM watches.watch WHERE watch_id > (SELECT max(watch_id) FROM part)) AS is_end
     FROM part`,
    [at, Math.min(1, stepMs / MARKING_MS)],
  )
  const isEnd = next!.last === null || next!.is_end
  const [row] = await transaction.query<{ passed_at_s: number }>(
    `UPDATE watches.progress SET pass_at = $1, passed_at = CASE WHEN $1::text IS NULL THEN now() ELSE passed_at END
     RETURNING extract(epoch FROM passed_at)::float8 AS passed_at_s`,
    [isEnd ? null : next!.last],
  )
  return row?.passed_at_s ?? passedAtS
}

/** Milliseconds since the last pass ended, if somebody watches; else null. */
export async function fullPassAgeMs(database: Queryable): Promise<number | null> {
  const [row] = await database.query<{ age_ms: number }>(
    `SELECT (extract(epoch FROM now() - passed_at) * 1000)::int8 AS age_ms FROM watches.progress
     WHERE EXISTS (SELECT FROM watches.watch)`,
  )
  return row?.age_ms ?? null
}
