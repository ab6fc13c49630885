/** Queries of reports. Each takes the account and its environment, so that reports of other tenants are never visible. */
import { riskLevels, type Disposition } from '@cupel/contracts'
import { RecordRetiredError } from '@cupel/event-log'
import { asFields, asTimes, greatestFirst, mergedRanges, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'
import { documentsOf, storedDocument, type ReadDocuments, type StoredDocument } from './stored-documents.js'

export type ReportOwner = Tenant

export type StoredReport =
  | { readonly state: 'generated'; readonly reportId: string; readonly document: StoredDocument }
  | { readonly state: 'failed'; readonly reportId: string; readonly code: string; readonly detail: string }

const PLACE = 'log_partition AS partition, log_offset AS offset'

/** Null if this account and environment has no such report yet. */
export async function getReport(
  database: Queryable,
  { accountId, livemode, reportId }: ReportOwner & { reportId: string },
): Promise<StoredReport | null> {
  const [row] = await queryTenant<{
    readonly state: StoredReport['state']
    readonly document: string | null
    readonly documentMac: string | null
    readonly partition: number
    readonly offset: number
    readonly code: string | null
    readonly detail: string | null
  }>(
    database,
    { accountId, livemode },
    {
      name: 'report-view.get',
      text: `SELECT ${TENANT_FIELDS}, state, ${asFields('document, document_mac')}, ${PLACE}, failure_code AS code, failure_detail AS detail
             FROM report_view.report WHERE report_id = $1 AND account_id = $2 AND livemode = $3`,
    },
    [reportId, accountId, livemode],
  )
  if (row === undefined) return null
  if (row.state === 'generated')
    return { state: 'generated', reportId, document: storedDocument({ ...row, reportId }) }
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
  /** Reports of transfers with one of these recommendations. */
  readonly recommendations?: string | readonly string[] | undefined
  /** The disposition that people set; `none` for reports without a case. */
  readonly disposition?: Disposition | 'none' | undefined
  /** The caller's own reference, exactly, in the stored form; several if the same reference can be stored in several forms. */
  readonly customerReference?: string | readonly string[] | undefined
  /** Ended at or after this time; UTC, RFC 3339. */
  readonly from?: string | undefined
  /** Ended before this time; UTC, RFC 3339. */
  readonly to?: string | undefined
}

export interface ReportPage {
  readonly items: readonly (ReportCursor & { readonly document: StoredDocument })[]
  /** Null at the end of the list. A page of two filters that no index has together may be short, or empty, and have a next one. */
  readonly next: ReportCursor | null
}

/** Number of reports in which one page looks for those of a second filter: some milliseconds. */
const MAX_SEARCHED_REPORTS = 5_000
/** The same where each of them costs a look-up of its case: about as many buffers. */
const MAX_LOOKED_UP_REPORTS = 1_000
/** A disposition with no more cases than this is looked for among them. */
const MAX_SEARCHED_CASES = 1_000
const ORDER = ['ended_at', 'report_id']
const NEWEST_FIRST = greatestFirst(ORDER)

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
  const isAmongCases = await hasFewCases(database, tenant, filter.disposition)
  const { ranges, others } = searchOf(filter, after, isAmongCases, parameter)
  const conditions = others()
  const limit = parameter(pageSize + 1)
  const isSearch = conditions.length > 0
  const found = mergedRanges(ranges, ORDER, isSearch ? searchedReports(filter) : limit)
  const rows = await queryTenant<ReportCursor & StoredDocument>(
    database,
    tenant,
    `SELECT ${TENANT_FIELDS}, ${asFields('report_id, document, document_mac')}, ${PLACE}, ${asTimes('ended_at')}
     FROM ${found} AS report ${isSearch ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY ${NEWEST_FIRST} LIMIT ${limit}`,
    values,
  )
  const items = rows.slice(0, pageSize)
  const last = items.at(-1)
  const next =
    rows.length > pageSize && last !== undefined
      ? last
      : isSearch
        ? await lastSearched(database, tenant, filter, after)
        : null
  return {
    items: items.map((row) => ({ ...cursorOf(row), document: storedDocument(row) })),
    next: next === null ? null : cursorOf(next),
  }
}

const cursorOf = ({ endedAt, reportId }: ReportCursor): ReportCursor => ({ endedAt, reportId })

/**
 * The page with the documents themselves. It ends before the first report that only an archive has which is not read here: the page that
 * begins with that report rejects with RecordRetiredError. Rejects as `readDocuments` does.
 */
export async function listWholeReports(
  { database, readDocuments }: { readonly database: Queryable; readonly readDocuments: ReadDocuments },
  query: Parameters<typeof listReports>[1],
) {
  const { items, next } = await listReports(database, query)
  const whole = async (some: ReportPage['items']): Promise<WholeReport[]> => {
    const stored = some.map(({ document }) => document)
    const documents = await documentsOf(readDocuments, query, stored)
    return some.map(({ reportId }, at) => ({ reportId, document: documents[at]! }))
  }
  try {
    return { items: await whole(items), next }
  } catch (error) {
    if (!(error instanceof RecordRetiredError)) throw error
    const front = await untilRetired(items, whole)
    return { items: front, next: front.length === items.length ? next : cursorOf(items[front.length - 1]!) }
  }
}

interface WholeReport {
  readonly reportId: string
  readonly document: string
}

/** One by one up to the first one that is retired. Rejects if that is the first of all. */
async function untilRetired(
  items: ReportPage['items'],
  whole: (some: ReportPage['items']) => Promise<WholeReport[]>,
): Promise<WholeReport[]> {
  const front: WholeReport[] = []
  for (const item of items)
    try {
      front.push(...(await whole([item])))
    } catch (error) {
      if (error instanceof RecordRetiredError && front.length > 0) return front
      throw error
    }
  return front
}

interface Search {
  /** Of the index of the first of these that the filter names: recommendation, reference, owner, chain, level. Or the reports of few cases. */
  readonly ranges: readonly string[]
  /** The conditions that this index does not have. Makes their parameters. */
  readonly others: () => readonly string[]
}

function searchOf(
  filter: ReportFilter,
  after: ReportCursor | null,
  isAmongCases: boolean,
  parameter: (value: unknown) => string,
): Search {
  const { recommendations, customerReference, ownerKeys, chain, level, disposition, from, to } = filter
  const own = [`account_id = $1 AND livemode = $2 AND state = 'generated'`]
  if (from !== undefined) own.push(`ended_at >= ${parameter(from)}::timestamptz`)
  if (to !== undefined) own.push(`ended_at < ${parameter(to)}::timestamptz`)
  if (after !== null)
    own.push(
      `(ended_at, report_id) < (${parameter(after.endedAt)}::timestamptz, ${parameter(after.reportId)})`,
    )
  const oneOf = (column: string, named: string | readonly string[] | undefined): string[] =>
    named === undefined ? [] : [`${column} = ANY (${parameter([named].flat())}::text[])`]
  const rangesOf = (column: string, named: string | readonly string[], more: readonly string[] = []) =>
    [named]
      .flat()
      .map(
        (value) =>
          `SELECT * FROM report_view.report WHERE ${[...own, ...more, `${column} = ${parameter(value)}`].join(' AND ')}`,
      )
  const ofCase = (): string[] =>
    disposition === undefined
      ? []
      : [`${CASE_OF_REPORT} ${disposition === 'none' ? 'IS NULL' : `= ${parameter(disposition)}`}`]
  const ofKind = (): string[] => [...oneOf('chain', chain), ...oneOf('level', level)]
  const ofOwner = (): string[] => {
    if (ownerKeys === undefined) return []
    const isOwner = `= ANY (${parameter(ownerKeys)}::text[])`
    return [`(owner_key ${isOwner} OR further_owner_key ${isOwner})`]
  }
  const ofTransfers = (): string[] => oneOf('recommendation', recommendations)
  const ofReference = (): string[] => oneOf('customer_reference', customerReference)
  if (isAmongCases) {
    const all = [...ofTransfers(), ...ofReference(), ...ofOwner(), ...ofKind()]
    // An array makes Postgres begin with the cases, whatever it expects.
    const among = `report_id = ANY (ARRAY(${OWN_CASES} AND c.disposition = ${parameter(disposition)}))`
    const range = `SELECT * FROM report_view.report WHERE ${[...own, ...all, among].join(' AND ')}`
    return { ranges: [range], others: () => [] }
  }
  const others = (): string[] => [...ofOwner(), ...ofKind(), ...ofCase()]
  if (recommendations !== undefined)
    return {
      ranges: rangesOf('recommendation', recommendations),
      others: () => [...ofReference(), ...others()],
    }
  if (customerReference !== undefined)
    return { ranges: rangesOf('customer_reference', customerReference), others }
  if (ownerKeys !== undefined)
    return {
      ranges: [...rangesOf('owner_key', ownerKeys), ...rangesOf('further_owner_key', ownerKeys)],
      others: () => [...ofKind(), ...ofCase()],
    }
  const ofChain = chain === undefined ? [] : [`chain = ${parameter(chain)}`]
  const ofOtherLevels = `SELECT * FROM report_view.report WHERE ${[...own, ...ofChain, OF_OTHER_LEVEL].join(' AND ')}`
  return {
    ranges: [
      ...rangesOf('level', level ?? riskLevels, ofChain),
      ...(level === undefined ? [ofOtherLevels] : []),
    ],
    others: ofCase,
  }
}

/** A later scorer may know further levels; its reports are listed too. The condition of an index, in the same words. */
const OF_OTHER_LEVEL = `level NOT IN (${riskLevels.map((level) => `'${level}'`).join(', ')})`

const OWN_CASES =
  'SELECT c.report_id FROM case_view.report_case c WHERE c.account_id = $1 AND c.livemode = $2'
/** One look-up for each report: Postgres would join EXISTS with every case of the account. */
const CASE_OF_REPORT =
  '(SELECT c.disposition FROM case_view.report_case c WHERE c.account_id = $1 AND c.livemode = $2 AND c.report_id = report.report_id)'

const searchedReports = ({ disposition }: ReportFilter): number =>
  disposition === undefined ? MAX_SEARCHED_REPORTS : MAX_LOOKED_UP_REPORTS

/** Whether the cases of the disposition are so few that its reports are looked for among them. */
async function hasFewCases(
  database: Queryable,
  { accountId, livemode }: Tenant,
  disposition: ReportFilter['disposition'],
): Promise<boolean> {
  if (disposition === undefined || disposition === 'none') return false
  const cases = await queryTenant(
    database,
    { accountId, livemode },
    `SELECT ${TENANT_FIELDS} FROM case_view.report_case
     WHERE account_id = $1 AND livemode = $2 AND disposition = $3 LIMIT ${MAX_SEARCHED_CASES + 1}`,
    [accountId, livemode, disposition],
  )
  return cases.length <= MAX_SEARCHED_CASES
}

/** The oldest report that a page searched; null if there is no older one. */
async function lastSearched(
  database: Queryable,
  { accountId, livemode }: Tenant,
  filter: ReportFilter,
  after: ReportCursor | null,
): Promise<ReportCursor | null> {
  const values: unknown[] = [accountId, livemode]
  const { ranges } = searchOf(filter, after, false, (value) => `$${values.push(value)}`)
  const searched = mergedRanges(ranges, ORDER, searchedReports(filter))
  const [row] = await queryTenant<ReportCursor>(
    database,
    { accountId, livemode },
    `SELECT ${TENANT_FIELDS}, ${asFields('report_id')}, ${asTimes('ended_at')} FROM ${searched} AS report
     ORDER BY ${NEWEST_FIRST} OFFSET ${searchedReports(filter) - 1} LIMIT 1`,
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
      text: `SELECT ${TENANT_FIELDS}, ${PLACE}
             FROM report_view.report WHERE report_id = $1 AND account_id = $2 AND livemode = $3`,
    },
    [reportId, accountId, livemode],
  )
  return row === undefined ? null : { partition: row.partition, offset: row.offset }
}

const NEWEST_PLACES = mergedRanges(
  [...riskLevels.map((level) => `level = '${level}'`), OF_OTHER_LEVEL].map(
    (ofLevel) =>
      `SELECT * FROM report_view.report WHERE account_id = $1 AND livemode = $2 AND state = 'generated' AND ${ofLevel}`,
  ),
  ORDER,
  '$3',
)

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
      text: `SELECT ${TENANT_FIELDS}, ${asFields('report_id')}, ${PLACE}, ${asTimes('ended_at')}
             FROM ${NEWEST_PLACES} AS report ORDER BY ${NEWEST_FIRST} LIMIT $3`,
    },
    [accountId, livemode, limit],
  )
}
