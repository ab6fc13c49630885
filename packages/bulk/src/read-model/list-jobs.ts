/** The jobs of an account, newest first. */
import type { BulkCounts, BulkStatus } from '@cupel/domain'
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'
import { BY_ID, REPORT_ID } from './job-items.js'
import { readingOf, readOutcomes, type JobOverview, type JobRow } from './queries.js'
import type { StoredItem } from './reducers.js'

/** A job without its items. */
export interface JobSummary extends BulkCounts {
  readonly jobId: string
  /** Sealed; null if the job has no name. */
  readonly name: string | null
  readonly status: BulkStatus
  /** Times are UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
  /** Null while the job runs. */
  readonly completedAt: string | null
  /** Number of completed items by the level of their reports. Null for an ended job: `readEndedLevels` counts those. */
  readonly levels: JobOverview['levels'] | null
}

export interface JobPage {
  readonly jobs: readonly JobSummary[]
  /** Whether there are older jobs. */
  readonly hasMore: boolean
}

/**
 * Newest first, by id: ids of jobs begin with the time of their creation. A page continues below the id of the last job of the
 * previous one, so new jobs do not shift the pages. A job whose end is recorded is shown as ended, even if its last results become
 * readable a moment later.
 */
export async function listJobs(
  database: Queryable,
  tenant: Tenant,
  { pageSize, before }: { readonly pageSize: number; readonly before: string | null },
): Promise<JobPage> {
  const { accountId, livemode } = tenant
  const rows = await queryTenant<ListedRow>(
    database,
    tenant,
    {
      name: 'job-view.list',
      // The items of an ended job are not needed: its row holds the counts.
      text: `SELECT ${TENANT_FIELDS}, ${asFields('job_id, name, status, completed, failed, cancelled')},
               ${asTimes('submitted_at, ended_at, cancel_requested_at')},
               CASE WHEN status IS NULL THEN items ELSE '[]' END AS items, NULL AS "cancelledIndices"
             FROM job_view.job WHERE account_id = $1 AND livemode = $2 AND ($3::text IS NULL OR job_id < $3)
             ORDER BY job_id DESC LIMIT $4`,
    },
    [accountId, livemode, before, pageSize + 1],
  )
  const page = rows.slice(0, pageSize)
  const itemsOf = new Map(page.map((row) => [row.jobId, JSON.parse(row.items) as StoredItem[]]))
  const reportIds = [...itemsOf.values()].flatMap((items) => items.flatMap((item) => item.report_id ?? []))
  const outcomes = await readOutcomes(database, tenant, [...new Set(reportIds)])
  return {
    jobs: page.map((row) => {
      const items = itemsOf.get(row.jobId)!
      if (row.status !== null) return endedSummary(row, row.status)
      const own = new Map(
        items.flatMap(({ report_id: id }) => (outcomes.has(id ?? '') ? [[id!, outcomes.get(id!)!]] : [])),
      )
      const { status, total, completed, failed, cancelled, createdAt, levels } = readingOf(
        row.jobId,
        row,
        items,
        own,
      )
      const counts = { total, completed, failed, cancelled, levels }
      return { jobId: row.jobId, name: row.name, status, ...counts, createdAt, completedAt: null }
    }),
    hasMore: rows.length > pageSize,
  }
}

interface ListedRow extends JobRow {
  readonly jobId: string
}

function endedSummary(row: ListedRow, status: BulkStatus): JobSummary {
  const [completed, failed, cancelled] = [row.completed!, row.failed!, row.cancelled!]
  return {
    ...{ jobId: row.jobId, name: row.name, status, levels: null },
    ...{ total: completed + failed + cancelled, completed, failed, cancelled },
    ...{ createdAt: row.submittedAt, completedAt: row.endedAt },
  }
}

/** The levels of the completed items of ended jobs, by the id of the job. A job whose last results cannot be read yet has fewer. */
export async function readEndedLevels(
  database: Queryable,
  tenant: Tenant,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, JobOverview['levels']>> {
  if (jobIds.length === 0) return new Map()
  const rows = await queryTenant<Pick<ListedRow, 'jobId' | 'status'> & { readonly levels: string }>(
    database,
    tenant,
    {
      name: 'job-view.ended-levels',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('job_id, status')}, (
          SELECT coalesce(json_object_agg(level, number), '{}') FROM (
            SELECT r.level, count(*) AS number
            FROM json_array_elements(items::json) WITH ORDINALITY AS stretch (element, place)
            CROSS JOIN LATERAL (
              SELECT level FROM report_view.report
              WHERE report_id = ${REPORT_ID} AND livemode = $3 AND account_id = $2 AND state = 'generated' ${BY_ID}) r
            WHERE place - 1 NOT IN (SELECT value::text::int8 FROM json_array_elements(cancelled_indices::json))
            GROUP BY r.level) AS each_level)::text AS levels
        FROM job_view.job WHERE job_id = ANY($1) AND account_id = $2 AND livemode = $3`,
    },
    [jobIds, tenant.accountId, tenant.livemode],
  )
  // A job that could not run has no results, whatever its report ids name.
  const ended = rows.filter(({ status }) => status !== null && status !== 'failed')
  return new Map(ended.map(({ jobId, levels }) => [jobId, JSON.parse(levels) as JobOverview['levels']]))
}
