/** Queries of reports. Each takes the account and its environment, so that reports of other tenants are never visible. */
import type { Disposition } from '@cupel/contracts'
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '../tenancy.js'

export type ReportOwner = Tenant

export type StoredReport =
  /** `document`: the report as callers receive it, UTF-8 JSON, byte for byte. */
  | { readonly state: 'generated'; readonly reportId: string; readonly document: string }
  | { readonly state: 'failed'; readonly reportId: string; readonly code: string; readonly detail: string }

/** Null if this account and environment has no such report yet. */
export async function getReport(
  database: Queryable,
  { accountId, livemode, reportId }: ReportOwner & { reportId: string },
): Promise<StoredReport | null> {
  const [row] = await queryTenant<{
    readonly state: StoredReport['state']
    readonly document: string | null
    readonly code: string | null
    readonly detail: string | null
  }>(
    database,
    { accountId, livemode },
    {
      name: 'report-view.get',
      text: `SELECT ${TENANT_FIELDS}, state, document, failure_code AS code, failure_detail AS detail
             FROM report_view.report WHERE report_id = $1 AND account_id = $2 AND livemode = $3`,
    },
    [reportId, accountId, livemode],
  )
  if (row === undefined) return null
  if (row.state === 'generated') return { state: 'generated', reportId, document: row.document! }
  return { state: 'failed', reportId, code: row.code!, detail: row.detail! }
}

/** Position in a list: the last item of the previous page. */
export interface ReportCursor {
  readonly endedAt: string
  readonly reportId: string
}

export interface ReportFilter {
  /** Reports of addresses of an owner that has one of these keys. */
  readonly ownerKeys?: readonly string[] | undefined
  readonly chain?: string | undefined
  readonly level?: string | undefined
  /** The disposition that people set; `none` for reports without a case. */
  readonly disposition?: Disposition | 'none' | undefined
  /** The caller's own reference, exactly. */
  /** The stored form; several if the same reference can be stored in several forms. */
  readonly customerReference?: string | readonly string[] | undefined
  /** Ended at or after this time; UTC, RFC 3339. */
  readonly from?: string | undefined
  /** Ended before this time; UTC, RFC 3339. */
  readonly to?: string | undefined
}

export interface ReportPage {
  readonly items: readonly { readonly reportId: string; readonly document: string }[]
  /** Null at the end of the list. A page that was searched for a reference may be short, or empty, and have a next one. */
  readonly next: ReportCursor | null
}

/** Number of reports that one page searches for a reference, which has no index: some 30 ms for each thousand. */
const MAX_SEARCHED_REPORTS = 5_000

/** Newest first. Each page continues after the last item of the previous one, so new reports do not shift the pages. */
export async function listReports(
  database: Queryable,
  {
    accountId,
    livemode,
    filter,
    pageSize,
    after,
  }: ReportOwner & { filter: ReportFilter; pageSize: number; after: ReportCursor | null },
): Promise<ReportPage> {
  const tenant = { accountId, livemode }
  const values: unknown[] = [accountId, livemode]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions = conditionsOf(filter, after, parameter)
  const reference = filter.customerReference
  const source =
    reference === undefined
      ? `report_view.report WHERE ${conditions}`
      : `(SELECT * FROM report_view.report WHERE ${conditions}
          ORDER BY ended_at DESC, report_id DESC LIMIT ${MAX_SEARCHED_REPORTS}) AS searched
         WHERE document::json ->> 'customer_reference' = ANY (${parameter([reference].flat())}::text[])`
  const rows = await queryTenant<ReportCursor & { readonly document: string }>(
    database,
    tenant,
    `SELECT ${TENANT_FIELDS}, ${asFields('report_id, document')}, ${asTimes('ended_at')}
     FROM ${source} ORDER BY ended_at DESC, report_id DESC LIMIT ${parameter(pageSize + 1)}`,
    values,
  )
  const items = rows.slice(0, pageSize)
  const last = items.at(-1)
  const next =
    rows.length > pageSize && last !== undefined
      ? last
      : reference === undefined
        ? null
        : await lastSearched(database, tenant, filter, after)
  return {
    items: items.map(({ reportId, document }) => ({ reportId, document })),
    next: next === null ? null : { endedAt: next.endedAt, reportId: next.reportId },
  }
}

function conditionsOf(
  filter: ReportFilter,
  after: ReportCursor | null,
  parameter: (value: unknown) => string,
): string {
  const conditions = [`account_id = $1 AND livemode = $2 AND state = 'generated'`]
  if (filter.ownerKeys !== undefined) {
    const isOwner = `= ANY (${parameter(filter.ownerKeys)}::text[])`
    conditions.push(`(owner_key ${isOwner} OR further_owner_key ${isOwner})`)
  }
  if (filter.chain !== undefined) conditions.push(`chain = ${parameter(filter.chain)}`)
  if (filter.level !== undefined) conditions.push(`level = ${parameter(filter.level)}`)
  if (filter.disposition !== undefined) conditions.push(dispositionCondition(filter.disposition, parameter))
  if (filter.from !== undefined) conditions.push(`ended_at >= ${parameter(filter.from)}::timestamptz`)
  if (filter.to !== undefined) conditions.push(`ended_at < ${parameter(filter.to)}::timestamptz`)
  if (after !== null)
    conditions.push(
      `(ended_at, report_id) < (${parameter(after.endedAt)}::timestamptz, ${parameter(after.reportId)})`,
    )
  return conditions.join(' AND ')
}

/**
 * People decide one report at a time, so a disposition has few cases compared with the reports. An array makes Postgres begin with
 * them, whatever it expects. Most reports have no case, so those without one are found during the scan.
 */
function dispositionCondition(
  disposition: NonNullable<ReportFilter['disposition']>,
  parameter: (value: unknown) => string,
): string {
  const own = 'SELECT c.report_id FROM case_view.report_case c WHERE c.account_id = $1 AND c.livemode = $2'
  return disposition === 'none'
    ? `NOT EXISTS (${own} AND c.report_id = report.report_id)`
    : `report_id = ANY (ARRAY(${own} AND c.disposition = ${parameter(disposition)}))`
}

/** The oldest report that a page searched; null if there is no older one. */
async function lastSearched(
  database: Queryable,
  { accountId, livemode }: Tenant,
  filter: ReportFilter,
  after: ReportCursor | null,
): Promise<ReportCursor | null> {
  const values: unknown[] = [accountId, livemode]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const [row] = await queryTenant<ReportCursor>(
    database,
    { accountId, livemode },
    `SELECT ${TENANT_FIELDS}, ${asFields('report_id')}, ${asTimes('ended_at')} FROM report_view.report
     WHERE ${conditionsOf(filter, after, parameter)}
     ORDER BY ended_at DESC, report_id DESC OFFSET ${MAX_SEARCHED_REPORTS - 1} LIMIT 1`,
    values,
  )
  return row ?? null
}

/** The position of a report of a tenant in its topic; null without such a report. */
export async function findReportPlace(
  database: Queryable,
  { accountId, livemode, reportId }: ReportOwner & { readonly reportId: string },
): Promise<{ readonly partition: number; readonly offset: number } | null> {
  const [row] = await queryTenant<{ readonly partition: number; readonly offset: number }>(
    database,
    { accountId, livemode },
    {
      name: 'report-view.place',
      text: `SELECT ${TENANT_FIELDS}, log_partition AS partition, log_offset AS offset
             FROM report_view.report WHERE report_id = $1 AND account_id = $2 AND livemode = $3`,
    },
    [reportId, accountId, livemode],
  )
  return row === undefined ? null : { partition: row.partition, offset: row.offset }
}

/** The positions of the newest reports of a tenant in the log, newest first. */
export async function listReportPlaces(
  database: Queryable,
  { accountId, livemode, limit }: ReportOwner & { limit: number },
): Promise<
  {
    readonly reportId: string
    readonly partition: number
    readonly offset: number
    readonly endedAt: string
  }[]
> {
  return await queryTenant(
    database,
    { accountId, livemode },
    {
      name: 'report-view.places',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('report_id')}, log_partition AS partition, log_offset AS offset, ${asTimes('ended_at')}
             FROM report_view.report WHERE account_id = $1 AND livemode = $2 AND state = 'generated'
             ORDER BY ended_at DESC, report_id DESC LIMIT $3`,
    },
    [accountId, livemode, limit],
  )
}
