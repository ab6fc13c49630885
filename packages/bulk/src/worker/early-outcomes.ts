/** Stores outcomes that were read before the job they belong to, and deletes old rows. */
import { asFields, type Queryable } from '@cupel/postgres'

export interface Outcome {
  readonly reportId: string
  readonly outcome: 'completed' | 'failed'
  readonly endedAt: string
}

const LOCK = 'cupel.bulk.early-outcomes'

/**
 * Coordinators read outcomes and submissions at the same time. A transaction that inserts screenings locks out those that note outcomes
 * as early, until it ends: otherwise neither would see what the other one wrote, and an outcome would be lost.
 */
export async function lockOutEarly(transaction: Queryable): Promise<void> {
  await transaction.query(
    { name: 'bulk.lock-out-early', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' },
    [LOCK],
  )
}

/** Waits for the transactions that insert screenings, and locks them out until this one ends. Others note early outcomes meanwhile. */
export async function lockOutSubmissions(transaction: Queryable): Promise<void> {
  await transaction.query(
    {
      name: 'bulk.lock-out-submissions',
      text: 'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
    },
    [LOCK],
  )
}

/** The first record of a report id counts. */
export async function noteEarly(transaction: Queryable, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return
  await transaction.execute(
    {
      name: 'bulk.note-early',
      text: `INSERT INTO bulk.early_outcome (report_id, outcome, ended_at)
             SELECT report_id, outcome, ended_at FROM unnest($1::text[], $2::text[], $3::text[])
               WITH ORDINALITY AS r (report_id, outcome, ended_at, ord) ORDER BY ord
             ON CONFLICT (report_id) DO NOTHING`,
    },
    [
      outcomes.map(({ reportId }) => reportId),
      outcomes.map(({ outcome }) => outcome),
      outcomes.map(({ endedAt }) => endedAt),
    ],
  )
}

export async function takeEarly(transaction: Queryable, reportIds: readonly string[]): Promise<Outcome[]> {
  if (reportIds.length === 0) return []
  return await transaction.query<Outcome>(
    {
      name: 'bulk.take-early',
      text: `DELETE FROM bulk.early_outcome WHERE report_id = ANY($1) RETURNING ${asFields('report_id, outcome, ended_at')}`,
    },
    [reportIds],
  )
}

/** Screenings of an ended job are kept this long: reports may still arrive after a job was cancelled. */
const KEEP_UNITS_MS = 3_600_000
/** The row of a job prevents a second run of its submission: a call with an Idempotency-Key may be repeated for a day. */
const KEEP_JOBS_MS = 30 * 24 * 3_600_000
const KEEP_EARLY_MS = 7 * 24 * 3_600_000
const MAX_SWEPT_JOBS = 50

/** Deletes old rows, a limited number in each call. */
export async function sweep(database: Queryable): Promise<void> {
  await database.execute(
    `WITH over AS (
       UPDATE bulk.job SET is_swept = true WHERE job_id IN (
         SELECT job_id FROM bulk.job
         WHERE is_announced AND NOT is_swept AND ended_at < now() - make_interval(secs => $1::float8 / 1000)
         ORDER BY ended_at LIMIT $2)
       RETURNING job_id)
     DELETE FROM bulk.unit u USING over WHERE u.job_id = over.job_id`,
    [KEEP_UNITS_MS, MAX_SWEPT_JOBS],
  )
  await database.execute(
    `DELETE FROM bulk.job WHERE job_id IN (
       SELECT job_id FROM bulk.job
       WHERE is_announced AND ended_at < now() - make_interval(secs => $1::float8 / 1000) ORDER BY ended_at LIMIT $2)`,
    [KEEP_JOBS_MS, MAX_SWEPT_JOBS],
  )
  await database.execute(
    `DELETE FROM bulk.early_outcome WHERE noted_at < now() - make_interval(secs => $1::float8 / 1000)`,
    [KEEP_EARLY_MS],
  )
}
