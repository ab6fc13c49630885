/** The state of a job, counted by the database: one row, whatever the number of its items. */
import { asFields, asTimes, timeText, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'
import { FOUND_ITEMS, hasUnownedFailure } from './job-items.js'
import type { JobOverview, JobRow } from './queries.js'

export type ReadOverview =
  | { readonly kind: 'overview'; readonly job: JobOverview }
  /** This account and environment has no such job in the view. */
  | { readonly kind: 'unknown' }
  /** The job has ended and a result cannot be read yet, or a result belongs to no account: the whole job must be read. */
  | { readonly kind: 'whole' }

type OverviewRow = Omit<JobRow, 'items'> & {
  readonly itemsTotal: number
  readonly itemsCompleted: number
  readonly itemsFailed: number
  readonly itemsCancelled: number
  readonly decided: number
  readonly refused: number
  readonly startedAt: string | null
  /** Number of completed items by level, in JSON. */
  readonly levels: string
}

export async function readOverview(
  database: Queryable,
  tenant: Tenant,
  jobId: string,
): Promise<ReadOverview> {
  const key = [jobId, tenant.accountId, tenant.livemode]
  const [row] = await queryTenant<OverviewRow>(database, tenant, COUNT, key)
  if (row === undefined) return { kind: 'unknown' }
  const { itemsTotal: total, itemsCompleted: completed, itemsFailed: failed, itemsCancelled: cancelled } = row
  const hasPending = completed + failed + cancelled < total
  if (hasPending && (row.status !== null || (await hasUnownedFailure(database, key))))
    return { kind: 'whole' }
  const counted = row.decided > 0 ? 'running' : 'queued'
  const { startedAt, refused } = row
  const common = {
    jobId,
    name: row.name,
    refused,
    createdAt: row.submittedAt,
    levels: JSON.parse(row.levels) as JobOverview['levels'],
  }
  if (row.status === null) {
    const running = { total, completed, failed, cancelled, isTerminal: false, completedAt: null, startedAt }
    return { kind: 'overview', job: { ...common, ...running, status: counted } }
  }
  const end = { total, completed: row.completed!, failed: row.failed!, cancelled: row.cancelled! }
  const ended = { isTerminal: true, completedAt: row.endedAt, startedAt: startedAt ?? row.submittedAt }
  return { kind: 'overview', job: { ...common, ...end, ...ended, status: row.status } }
}

const count = (condition: string): string => `(count(*) FILTER (WHERE ${condition}))::int4`

const COUNT = {
  name: 'job-view.overview',
  text: `WITH ${FOUND_ITEMS}, counted AS (
      SELECT ${count('true')} AS "itemsTotal", ${count("status = 'completed'")} AS "itemsCompleted",
        ${count("status = 'failed'")} AS "itemsFailed", ${count("status = 'cancelled'")} AS "itemsCancelled",
        ${count('decided_at IS NOT NULL')} AS decided, ${count('is_refused')} AS refused,
        ${timeText("min(decided_at) FILTER (WHERE status <> 'cancelled')")} AS "startedAt"
      FROM found
    )
    SELECT ${TENANT_FIELDS}, ${asFields('name, status, completed, failed, cancelled, cancelled_indices')},
      ${asTimes('submitted_at, cancel_requested_at, ended_at')}, counted.*,
      (SELECT coalesce(json_object_agg(level, number), '{}')
       FROM (SELECT level, count(*) AS number FROM found WHERE status = 'completed' GROUP BY level) AS each_level)::text AS levels
    FROM job, counted`,
}
