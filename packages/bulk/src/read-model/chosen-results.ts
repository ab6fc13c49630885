/** Pages of the results of a job: the database selects and orders, and only the rows of the page are read. */
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'
import { FOUND_ITEMS, hasUnownedFailure } from './job-items.js'
import { foldedJob, itemOf, readOutcomes, type JobItem, type JobRow } from './queries.js'
import type { StoredItem } from './reducers.js'

export interface ResultChoice {
  readonly jobId: string
  /** `risk`: red, orange, grey, failed, green, cancelled, pending; within a level by score, highest first. */
  readonly sort: 'submission' | 'risk'
  /** Only completed items with this level. */
  readonly level?: string | undefined
  /** Only items with this status. */
  readonly status?: string | undefined
  /** Also includes items that are not done yet. */
  readonly pendingToo: boolean
  /** The place of the previous item: its index, or with `risk` its rank, its negated score and its index. Null for the first page. */
  readonly after: readonly number[] | null
  readonly size: number
}

export type ChosenResults =
  | {
      readonly kind: 'chosen'
      /** In order. */
      readonly items: readonly JobItem[]
      /** False while the view does not know the end of the job. */
      readonly hasEnded: boolean
    }
  /** This account and environment has no such job in the view. */
  | { readonly kind: 'unknown' }
  /** The job has ended and a result cannot be read yet, or a result belongs to no account: the whole job must be read. */
  | { readonly kind: 'whole' }

type ChosenRow = JobRow & {
  readonly places: string
  readonly statuses: string
  readonly hasPending: boolean
}

/** At most `size` results of a job. Outcomes of other items are not read. */
export async function chooseResults(
  database: Queryable,
  tenant: Tenant,
  { jobId, sort, level, status, pendingToo, after, size }: ResultChoice,
): Promise<ChosenResults> {
  const [rank, score, index] = sort === 'risk' ? (after ?? NOWHERE) : [0, 0, after?.[0] ?? -1]
  const key = [jobId, tenant.accountId, tenant.livemode]
  const [row] = await queryTenant<ChosenRow>(database, tenant, CHOOSE, [
    ...[...key, sort === 'risk', level ?? null, status ?? null],
    ...[rank, score, index, size, pendingToo],
  ])
  if (row === undefined) return { kind: 'unknown' }
  const hasEnded = row.status !== null
  if (row.hasPending && (hasEnded || (await hasUnownedFailure(database, key)))) return { kind: 'whole' }
  const places = JSON.parse(row.places) as number[]
  const statuses = JSON.parse(row.statuses) as string[]
  const items = JSON.parse(row.items) as StoredItem[]
  // An item that was selected as pending stays pending on this page, because its place in the order is that of a pending item.
  const done = items.flatMap((item, at) => (statuses[at] === 'pending' ? [] : (item.report_id ?? [])))
  const outcomes = await readOutcomes(database, tenant, [...new Set(done)])
  const cancelled = statuses.flatMap((each, at) => (each === 'cancelled' ? [at] : []))
  const job = foldedJob({ ...row, cancelledIndices: JSON.stringify(cancelled) }, items, outcomes)
  const read = items.map((item, at) => ({ ...itemOf(item, at, job, outcomes), index: places[at]! }))
  return { kind: 'chosen', items: read, hasEnded }
}

/** A place before all others. */
const NOWHERE = [-1, 0, -1] as const

const CHOOSE = {
  name: 'job-view.choose',
  text: `WITH ${FOUND_ITEMS}, ranked AS (
      SELECT place, element, status, level,
        CASE WHEN NOT $4::bool THEN 0
             WHEN status = 'completed' THEN CASE level WHEN 'red' THEN 0 WHEN 'orange' THEN 1 WHEN 'green' THEN 4 ELSE 2 END
             ELSE CASE status WHEN 'failed' THEN 3 WHEN 'cancelled' THEN 5 ELSE 6 END END AS rank,
        CASE WHEN $4 AND status = 'completed' THEN -score ELSE 0 END AS score
      FROM found
    ), chosen AS (
      SELECT * FROM ranked
      WHERE ($5::text IS NULL OR (status = 'completed' AND level = $5)) AND ($6::text IS NULL OR status = $6)
        AND ($11::bool OR status <> 'pending') AND (rank, score, place) > ($7::int4, $8::float8, $9::int8)
      ORDER BY rank, score, place LIMIT $10
    )
    SELECT ${TENANT_FIELDS}, ${asFields('name, status, completed, failed, cancelled, cancelled_indices')},
      ${asTimes('submitted_at, cancel_requested_at, ended_at')},
      EXISTS (SELECT FROM found WHERE found.status = 'pending') AS "hasPending",
      (SELECT coalesce(json_agg(place ORDER BY rank, score, place), '[]') FROM chosen)::text AS places,
      (SELECT coalesce(json_agg(chosen.status ORDER BY rank, score, place), '[]') FROM chosen)::text AS statuses,
      (SELECT coalesce(json_agg(element ORDER BY rank, score, place), '[]') FROM chosen)::text AS items
    FROM job`,
}
