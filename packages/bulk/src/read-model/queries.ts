/**
 * Queries of bulk jobs. Each takes the account and its environment, so that jobs of other tenants are never visible. A job is
 * folded from its row and the reports of its items with the function that the coordinator uses, so that both give equal counts.
 */
import {
  CANCELLED,
  COMPLETED,
  countsOf,
  evolveJob,
  FAILED,
  isDone,
  markOf,
  nothingKnownOfJob,
  OPEN,
  type BulkCounts,
  type BulkEvent,
  type BulkJob,
  type BulkStatus,
} from '@cupel/domain'
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { ForeignRowError, queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'
import {
  documentsOf,
  type ReadDocuments,
  type StoredDocument,
  storedDocument,
} from '@cupel/reports/read-model'
import type { StoredItem } from './reducers.js'

/** The state of a job, without its items. */
export interface JobOverview extends BulkCounts {
  readonly jobId: string
  /** Sealed; null if the job has no name. */
  readonly name: string | null
  readonly status: BulkStatus
  /** Times are UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
  /** When its first item was decided; null until then. */
  readonly startedAt: string | null
  /** Null while the job runs. */
  readonly completedAt: string | null
  /** The job has ended, and all results can be read. */
  readonly isTerminal: boolean
  /** Number of completed items by the level of their reports; levels without any may be absent. */
  readonly levels: Readonly<Record<string, number>>
  /** Items that were refused at submission. */
  readonly refused: number
}

export interface JobReading extends JobOverview {
  /** Reports of items that are not readable yet although the end of the job is recorded. Empty in all other cases. */
  readonly awaitedReportIds: readonly string[]
  /** In the order of the submission. */
  readonly items: readonly JobItem[]
}

interface AskedFor {
  /** From 0. */
  readonly index: number
  readonly address: string
  /** Absent if the item has none. */
  readonly reference?: string
}

export type JobItem = AskedFor &
  (
    | { readonly status: 'pending' | 'cancelled' }
    | {
        readonly status: 'completed'
        readonly reportId: string
        /** Level and score of the report. */
        readonly level: string
        readonly score: number
      }
    | { readonly status: 'failed'; readonly code: string; readonly detail: string }
  )

export interface JobRow {
  readonly name: string | null
  readonly submittedAt: string
  readonly items: string
  readonly cancelRequestedAt: string | null
  readonly status: NonNullable<BulkJob['end']>['status'] | null
  readonly completed: number | null
  readonly failed: number | null
  readonly cancelled: number | null
  readonly cancelledIndices: string | null
  readonly endedAt: string | null
}

interface OutcomeRow extends Tenant {
  readonly reportId: string
  readonly state: 'generated' | 'failed'
  readonly failureCode: string | null
  readonly failureDetail: string | null
  readonly endedAt: string
  /** Null if the screening failed. */
  readonly level: string | null
  readonly score: number | null
}

/** Null if this account and environment has no such job yet. */
export async function readJob(
  database: Queryable,
  tenant: Tenant,
  jobId: string,
): Promise<JobReading | null> {
  const { accountId, livemode } = tenant
  const [row] = await queryTenant<JobRow>(
    database,
    tenant,
    {
      name: 'job-view.get',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('name, items, status, completed, failed, cancelled, cancelled_indices')},
               ${asTimes('submitted_at, cancel_requested_at, ended_at')}
             FROM job_view.job WHERE job_id = $1 AND account_id = $2 AND livemode = $3`,
    },
    [jobId, accountId, livemode],
  )
  if (row === undefined) return null
  const items = JSON.parse(row.items) as StoredItem[]
  const reportIds = [...new Set(items.flatMap((item) => item.report_id ?? []))]
  return readingOf(jobId, row, items, await readOutcomes(database, tenant, reportIds))
}

/** A part of the results of an ended job. */
export interface ResultStretch {
  readonly items: readonly JobItem[]
  /** For the whole job. */
  readonly total: number
}

/**
 * Reads `size` results of an ended job from an index on; outcomes of other items are not read. Null if the
 * job is unknown or running, or if one of these results cannot be read yet; `findJob` then returns more.
 */
export async function readEndedResults(
  database: Queryable,
  tenant: Tenant,
  order: { readonly jobId: string; readonly from: number; readonly size: number },
): Promise<ResultStretch | null> {
  const [row] = await queryTenant<JobRow>(
    database,
    tenant,
    {
      name: 'job-view.stretch',
      // The type json keeps each element as it was written.
      text: `SELECT ${TENANT_FIELDS}, ${asFields('name, status, completed, failed, cancelled, cancelled_indices')},
               ${asTimes('submitted_at, cancel_requested_at, ended_at')},
               (SELECT coalesce(json_agg(element ORDER BY place), '[]')
                FROM json_array_elements(items::json) WITH ORDINALITY AS stretch (element, place)
                WHERE place > $4 AND place <= $4::int8 + $5)::text AS items
             FROM job_view.job WHERE job_id = $1 AND account_id = $2 AND livemode = $3`,
    },
    [order.jobId, tenant.accountId, tenant.livemode, order.from, order.size],
  )
  if (row === undefined || row.status === null) return null
  const items = JSON.parse(row.items) as StoredItem[]
  const reportIds = [...new Set(items.flatMap((item) => item.report_id ?? []))]
  const outcomes = await readOutcomes(database, tenant, reportIds)
  const cancelled = (JSON.parse(row.cancelledIndices!) as number[]).flatMap((index) =>
    index >= order.from && index < order.from + items.length ? [index - order.from] : [],
  )
  const job = foldedJob({ ...row, cancelledIndices: JSON.stringify(cancelled) }, items, outcomes)
  const read = items.map((item, index) => ({
    ...itemOf(item, index, job, outcomes),
    index: order.from + index,
  }))
  if (read.some(({ status }) => status === 'pending')) return null
  return { items: read, total: row.completed! + row.failed! + row.cancelled! }
}

/** Outcomes of screenings. The failure of an unreadable request belongs to no account, but the owner of the job sees it. */
export async function readOutcomes(
  database: Queryable,
  { accountId, livemode }: Tenant,
  reportIds: readonly string[],
): Promise<Map<string, OutcomeRow>> {
  if (reportIds.length === 0) return new Map()
  const rows = await database.query<OutcomeRow>(
    {
      name: 'job-view.outcomes',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('report_id, state, failure_code, failure_detail, level, score')}, ${asTimes('ended_at')}
             FROM report_view.report
             WHERE report_id = ANY($1) AND livemode = $3 AND (account_id = $2 OR (account_id = '' AND state = 'failed'))`,
    },
    [reportIds, accountId, livemode],
  )
  for (const row of rows)
    if (row.livemode !== livemode || (row.accountId !== accountId && row.accountId !== ''))
      throw new ForeignRowError('A query of the read models returned a row of another tenant')
  return new Map(rows.map((row) => [row.reportId, row]))
}

export function readingOf(
  jobId: string,
  row: JobRow,
  items: readonly StoredItem[],
  outcomes: ReadonlyMap<string, OutcomeRow>,
): JobReading {
  const job = foldedJob(row, items, outcomes)
  const createdAt = row.submittedAt
  const isTerminal = job.end !== null && (job.end.status === 'failed' || isDone(job))
  const counts = isTerminal ? countsOfEnd(job.end!) : { ...countsOf(job), total: items.length }
  const read = items.map((item, index) => itemOf(item, index, job, outcomes))
  return {
    jobId,
    name: row.name,
    ...counts,
    status: isTerminal ? job.end!.status : outcomes.size > 0 ? 'running' : 'queued',
    createdAt,
    startedAt: startOf(items, job, outcomes) ?? (isTerminal ? createdAt : null),
    completedAt: isTerminal ? job.end!.endedAt : null,
    isTerminal,
    levels: levelsOf(read),
    awaitedReportIds:
      job.end === null || isTerminal
        ? []
        : items.flatMap((item, index) =>
            item.report_id !== undefined && markOf(job, index) === OPEN ? [item.report_id] : [],
          ),
    items: read,
    refused: items.filter((item) => item.report_id === undefined).length,
  }
}

function levelsOf(items: readonly JobItem[]): Record<string, number> {
  const levels: Record<string, number> = {}
  for (const item of items)
    if (item.status === 'completed') levels[item.level] = (levels[item.level] ?? 0) + 1
  return levels
}

/** The job that its row and these items give. */
export function foldedJob(
  row: JobRow,
  items: readonly StoredItem[],
  outcomes: ReadonlyMap<string, OutcomeRow>,
): BulkJob {
  const firstOf = new Map<string, number>()
  const firsts = items.map(({ report_id: reportId }, index) => {
    if (reportId === undefined) return index
    if (!firstOf.has(reportId)) firstOf.set(reportId, index)
    return firstOf.get(reportId)!
  })
  const refused = items.flatMap((item, index) => (item.report_id === undefined ? [index] : []))
  const at = row.submittedAt
  const events: BulkEvent[] = [{ kind: 'submitted', at, firsts, refused }]
  if (row.cancelRequestedAt !== null) events.push({ kind: 'cancel-requested', at: row.cancelRequestedAt })
  for (const [index, first] of firsts.entries()) {
    const outcome = first === index ? outcomes.get(items[index]!.report_id ?? '') : undefined
    if (outcome === undefined) continue
    events.push({
      kind: 'item-ended',
      index,
      outcome: outcome.state === 'generated' ? 'completed' : 'failed',
      at: outcome.endedAt,
    })
  }
  if (row.status !== null)
    events.push({
      kind: 'ended',
      end: {
        status: row.status,
        total: items.length,
        completed: row.completed!,
        failed: row.failed!,
        cancelled: row.cancelled!,
        endedAt: row.endedAt!,
      },
      cancelledIndices: JSON.parse(row.cancelledIndices!) as number[],
    })
  return evolveJob(nothingKnownOfJob, events)
}

function countsOfEnd({ total, completed, failed, cancelled }: BulkCounts): BulkCounts {
  return { total, completed, failed, cancelled }
}

/** The earliest decision of an item that counts. Items that were in progress when the job was cancelled do not count. */
function startOf(
  items: readonly StoredItem[],
  job: BulkJob,
  outcomes: ReadonlyMap<string, OutcomeRow>,
): string | null {
  let earliest: string | null = null
  for (const [index, { report_id: reportId }] of items.entries()) {
    const at = outcomes.get(reportId ?? '')?.endedAt
    if (at === undefined || markOf(job, index) === CANCELLED) continue
    if (earliest === null || at < earliest) earliest = at
  }
  return earliest
}

export function itemOf(
  { address, reference, report_id: reportId, code, detail }: StoredItem,
  index: number,
  job: BulkJob,
  outcomes: ReadonlyMap<string, OutcomeRow>,
): JobItem {
  const asked = { index, address, ...(reference === undefined ? {} : { reference }) }
  if (reportId === undefined)
    return { status: 'failed', ...asked, code: code ?? 'invalid_address', detail: detail ?? '' }
  const mark = markOf(job, index)
  if (mark === CANCELLED) return { status: 'cancelled', ...asked }
  const outcome = outcomes.get(reportId)
  if (mark === COMPLETED)
    return {
      ...{ status: 'completed', ...asked, reportId },
      // A row without a level is a defect; it must not count as harmless.
      level: outcome?.level ?? 'grey',
      score: outcome?.score ?? 0,
    }
  if (mark === FAILED)
    return {
      ...{ status: 'failed', ...asked },
      code: outcome?.failureCode ?? 'screening_failed',
      detail: outcome?.failureDetail ?? 'The screening could not be decided.',
    }
  // A job that could not run has no recorded outcomes.
  if (job.end?.status === 'failed')
    return { status: 'failed', ...asked, code: 'screening_failed', detail: 'The job could not run.' }
  return { status: 'pending', ...asked }
}

/** The recorded reports of completed items, by report id. Rejects as `readDocuments` does. */
export async function readItemReports(
  { database, readDocuments }: { readonly database: Queryable; readonly readDocuments: ReadDocuments },
  tenant: Tenant,
  items: readonly JobItem[],
): Promise<ReadonlyMap<string, string>> {
  const reportIds = [
    ...new Set(items.flatMap((item) => (item.status === 'completed' ? [item.reportId] : []))),
  ]
  if (reportIds.length === 0) return new Map()
  const rows = await queryTenant<StoredDocument>(
    database,
    tenant,
    {
      name: 'job-view.reports',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('report_id, document, document_mac')}, log_partition AS partition, log_offset AS offset
             FROM report_view.report
             WHERE report_id = ANY($1) AND account_id = $2 AND livemode = $3 AND state = 'generated'`,
    },
    [reportIds, tenant.accountId, tenant.livemode],
  )
  const documents = await documentsOf(readDocuments, tenant, rows.map(storedDocument))
  return new Map(rows.map(({ reportId }, at) => [reportId, documents[at]!]))
}
