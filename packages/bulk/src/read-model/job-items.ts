/** The items of one job and their outcomes, as the database sees them. Statements about a job begin with these expressions. */
import type { Queryable } from '@cupel/postgres'

// This matches the result of `itemOf`. The report id is taken from the text of an element, because an address may contain JSON that the
// database cannot decode. Quotes within a string have a backslash before them, so that no address looks like the field. A regular
// expression would take 25 µs for each item.
export const REPORT_ID = `nullif(split_part(split_part(element::text, '"report_id":"', 2), '"', 1), '')`

/** A report is found by its id: otherwise Postgres reads all reports of an account that has some tens of thousands. */
export const BY_ID = 'OFFSET 0'

/** Common table expressions `job`, `item` and `found` of the job $1 of the account $2 in the environment $3. */
export const FOUND_ITEMS = `job AS (
      SELECT * FROM job_view.job WHERE job_id = $1 AND account_id = $2 AND livemode = $3
    ), item AS (
      SELECT place - 1 AS place, element, ${REPORT_ID} AS report_id
      FROM job, json_array_elements(job.items::json) WITH ORDINALITY AS stretch (element, place)
    ), found AS (
      SELECT place, element, item.report_id IS NULL AS is_refused, coalesce(r.level, 'grey') AS level, coalesce(r.score, 0) AS score, r.ended_at AS decided_at,
        CASE WHEN item.report_id IS NULL THEN 'failed'
             WHEN c.index IS NOT NULL THEN 'cancelled'
             WHEN r.state = 'generated' THEN 'completed'
             WHEN r.state = 'failed' OR job.status = 'failed' THEN 'failed'
             ELSE 'pending' END AS status
      FROM job CROSS JOIN item
      LEFT JOIN (SELECT value::text::int8 AS index FROM job, json_array_elements(job.cancelled_indices::json)) c
        ON c.index = item.place
      LEFT JOIN LATERAL (
        SELECT level, score, ended_at, state FROM report_view.report
        WHERE report_id = item.report_id AND account_id = $2 AND livemode = $3 ${BY_ID}) r ON true
    )`

/**
 * Whether an item of the job $1 failed because its request was unreadable. Such a failure belongs to no account, so that statements
 * for a tenant do not see it.
 */
export async function hasUnownedFailure(database: Queryable, key: readonly unknown[]): Promise<boolean> {
  const [row] = await database.query<{ readonly isThere: boolean }>(
    {
      name: 'job-view.unowned-failure',
      text: `SELECT EXISTS (
          SELECT FROM job_view.job, json_array_elements(items::json) AS stretch (element)
          CROSS JOIN LATERAL (
            SELECT FROM report_view.report
            WHERE report_id = ${REPORT_ID} AND account_id = '' AND livemode = $3 AND state = 'failed' ${BY_ID}) r
          WHERE job.job_id = $1 AND job.account_id = $2 AND job.livemode = $3
        ) AS "isThere"`,
    },
    key,
  )
  return row!.isThere
}
