/** Pages of the results of an ended job: the database chooses and orders, and the rows of the page alone are read. */
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '../tenancy.js'
import { foldedJob, itemOf, readOutcomes, type JobItem, type JobRow } from './queries.js'
import type { StoredItem } from './reducers.js'

export interface ResultChoice {
  readonly jobId: string
  /** `risk`: red, orange, grey, failed, green, cancelled; within a level by score, highest first. */
  readonly sort: 'submission' | 'risk'
  /** Only completed items with this level. */
  readonly level?: string | undefined
  /** Only items with this status. */
  readonly status?: string | undefined
  /** The place of the item before: its index, or with `risk` its rank, its score below zero and its index. Null from the first one on. */
  readonly after: readonly number[] | null
  readonly size: number
}

type ChosenRow = JobRow & { readonly places: string; readonly isAwaited: boolean }

/**
 * At most `size` results of an ended job, in order, and nothing else of the job: no outcome of another item. Null where the job is
 * unknown or runs, and where a result of it cannot be read yet; then `findJob` says more.
 */
export async function chooseEndedResults(
  database: Queryable,
  tenant: Tenant,
  { jobId, sort, level, status, after, size }: ResultChoice,
): Promise<readonly JobItem[] | null> {
  const [rank, score, index] = sort === 'risk' ? (after ?? NOWHERE) : [0, 0, after?.[0] ?? -1]
  const values = [jobId, tenant.accountId, tenant.livemode, sort === 'risk', level ?? null, status ?? null]
  const [row] = await queryTenant<ChosenRow>(database, tenant, CHOOSE, [
    ...values,
    ...[rank, score, index, size],
  ])
  if (row === undefined || row.status === null || row.isAwaited) return null
  const places = JSON.parse(row.places) as number[]
  const items = JSON.parse(row.items) as StoredItem[]
  const outcomes = await readOutcomes(database, tenant, [
    ...new Set(items.flatMap((item) => item.report_id ?? [])),
  ])
  const cancelled = new Set(JSON.parse(row.cancelledIndices!) as number[])
  const own = places.flatMap((place, at) => (cancelled.has(place) ? [at] : []))
  const job = foldedJob({ ...row, cancelledIndices: JSON.stringify(own) }, items, outcomes)
  return items.map((item, at) => ({ ...itemOf(item, at, job, outcomes), index: places[at]! }))
}

/** Before the first place of all. */
const NOWHERE = [-1, 0, -1] as const

// An item is what `itemOf` makes of it. The report id is taken from the text of an element: an address may hold what the database decodes
// from no JSON. Quotes within a string have a backslash before them, so that no address looks like the field.
const CHOOSE = {
  name: 'job-view.choose',
  text: `WITH job AS (
      SELECT * FROM job_view.job WHERE job_id = $1 AND account_id = $2 AND livemode = $3
    ), item AS (
      SELECT place - 1 AS place, element, substring(element::text from '"report_id":"([^"\\\\]*)"') AS report_id
      FROM job, json_array_elements(job.items::json) WITH ORDINALITY AS stretch (element, place)
    ), found AS (
      SELECT place, element, coalesce(r.level, 'grey') AS level, coalesce(r.score, 0) AS score,
        CASE WHEN item.report_id IS NULL THEN 'failed'
             WHEN c.index IS NOT NULL THEN 'cancelled'
             WHEN r.state = 'generated' THEN 'completed'
             WHEN r.state = 'failed' OR job.status = 'failed' THEN 'failed'
             ELSE 'pending' END AS status
      FROM job CROSS JOIN item
      LEFT JOIN (SELECT value::text::int8 AS index FROM job, json_array_elements(job.cancelled_indices::json)) c
        ON c.index = item.place
      LEFT JOIN (SELECT * FROM report_view.report WHERE account_id = $2 AND livemode = $3) r
        ON r.report_id = item.report_id
    ), ranked AS (
      SELECT place, element, status, level,
        CASE WHEN NOT $4::bool THEN 0
             WHEN status = 'completed' THEN CASE level WHEN 'red' THEN 0 WHEN 'orange' THEN 1 WHEN 'green' THEN 4 ELSE 2 END
             ELSE CASE status WHEN 'failed' THEN 3 WHEN 'cancelled' THEN 5 ELSE 6 END END AS rank,
        CASE WHEN $4 AND status = 'completed' THEN -score ELSE 0 END AS score
      FROM found
    ), chosen AS (
      SELECT * FROM ranked
      WHERE ($5::text IS NULL OR (status = 'completed' AND level = $5)) AND ($6::text IS NULL OR status = $6)
        AND (rank, score, place) > ($7::int4, $8::float8, $9::int8)
      ORDER BY rank, score, place LIMIT $10
    )
    SELECT ${TENANT_FIELDS}, ${asFields('status, completed, failed, cancelled, cancelled_indices')},
      ${asTimes('submitted_at, cancel_requested_at, ended_at')},
      EXISTS (SELECT FROM found WHERE found.status = 'pending') AS "isAwaited",
      (SELECT coalesce(json_agg(place ORDER BY rank, score, place), '[]') FROM chosen)::text AS places,
      (SELECT coalesce(json_agg(element ORDER BY rank, score, place), '[]') FROM chosen)::text AS items
    FROM job`,
}
