/** Reads of the audit log. Each names the account and its environment: entries of other accounts are never visible. */
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'
import { endOf, type CallEnd } from '@cupel/contracts'

/** One call with a key of the account. */
export interface AuditEntry {
  readonly requestId: string
  readonly keyId: string
  readonly scope: string
  readonly clientAddress: string
  readonly method: string
  readonly route: string
  readonly status: number
  /** Problem code of the answer; null for a success. */
  readonly code: string | null
  readonly subjectIds: readonly string[]
  readonly latencyMs: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly at: string
  /** Name of the person if a sign-in service vouches for it; null if only the key is known. */
  readonly actor: string | null
}

/** Number of entries that one page searches for a filter without an index. A page may then be short, or empty, and have a next one. */
const MAX_SEARCHED_ENTRIES = 5_000
/** The same where each entry costs a look-up of its report: about as many buffers. */
const MAX_LOOKED_UP_ENTRIES = 1_000
/** What may be a problem: the condition of an index, in the same words. */
const MAY_BE_PROBLEM = '(status >= 400 OR report_id IS NOT NULL)'

/** Position in the list: the last entry of the previous page. */
export interface AuditCursor {
  readonly at: string
  readonly requestId: string
}

export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** Null at the end of the list. */
  readonly next: AuditCursor | null
}

export interface AuditQuery extends Tenant {
  /** Only calls with this key. */
  readonly keyId?: string | undefined
  /** Only calls of this endpoint: its path, with the names of its parameters. */
  readonly route?: string | undefined
  /** Only calls that concerned or made the object with this id. */
  readonly subjectId?: string | undefined
  /** The stored form; several if the same address can be stored in several forms. */
  readonly clientAddress?: string | readonly string[] | undefined
  /** Only calls that were refused or failed. */
  readonly problemsOnly?: boolean | undefined
  /** At or after this time; UTC, RFC 3339. */
  readonly from?: string | undefined
  /** Before this time; UTC, RFC 3339. */
  readonly to?: string | undefined
  readonly pageSize: number
  readonly after: AuditCursor | null
}

/**
 * Newest first. The outcome of a screen is read from the report view (docs/adr/0095); a screen that has none yet is not listed.
 * New calls do not move the pages: each page starts after the last entry of the previous page.
 */
export async function listAuditEntries(database: Queryable, query: AuditQuery): Promise<AuditPage> {
  const values: unknown[] = [query.accountId, query.livemode]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const inWindow = windowOf(query, parameter)
  const searched = searchOf(query, parameter)
  const isSearch = searched.length > 0
  const entries = isSearch
    ? `(SELECT * FROM audit_view.entry WHERE ${inWindow} ORDER BY at DESC, request_id DESC LIMIT ${searchedEntries(query)}) AS entry`
    : 'audit_view.entry'
  // With the limit each outcome is one look-up: Postgres would join the entries of a search with every report.
  const conditions = [...(isSearch ? searched : [inWindow]), '(report_id IS NULL OR state IS NOT NULL)']
  const rows = await queryTenant<EntryRow>(
    database,
    query,
    `SELECT ${TENANT_FIELDS}, ${asFields('request_id, key_id, scope, client_address, method, route, status, code, subject_ids, latency_ms, actor')},
       ${asTimes('at')}, ${asFields('report_id, state')}, ${asTimes('ended_at')}
     FROM ${entries} LEFT JOIN LATERAL (
       SELECT state, ended_at FROM report_view.report
       WHERE report.report_id = entry.report_id AND report.account_id = entry.account_id AND report.livemode = entry.livemode
       LIMIT 1
     ) AS outcome ON true
     WHERE ${conditions.join(' AND ')}
     ORDER BY entry.at DESC, request_id DESC LIMIT ${parameter(query.pageSize + 1)}`,
    values,
  )
  const items = rows.slice(0, query.pageSize).map(entryOf)
  const last = items.at(-1)
  if (rows.length > query.pageSize && last !== undefined)
    return { items, next: { at: last.at, requestId: last.requestId } }
  return { items, next: isSearch ? await lastSearched(database, query) : null }
}

/** The entries that the index gives in order. */
function windowOf(query: AuditQuery, parameter: (value: unknown) => string): string {
  const conditions = ['account_id = $1 AND livemode = $2']
  if (query.problemsOnly === true) conditions.push(MAY_BE_PROBLEM)
  if (query.from !== undefined) conditions.push(`at >= ${parameter(query.from)}::timestamptz`)
  if (query.to !== undefined) conditions.push(`at < ${parameter(query.to)}::timestamptz`)
  if (query.after !== null) {
    const { at, requestId } = query.after
    conditions.push(`(at, request_id) < (${parameter(at)}::timestamptz, ${parameter(requestId)})`)
  }
  return conditions.join(' AND ')
}

const searchedEntries = ({ problemsOnly }: AuditQuery): number =>
  problemsOnly === true ? MAX_LOOKED_UP_ENTRIES : MAX_SEARCHED_ENTRIES

function searchOf(query: AuditQuery, parameter: (value: unknown) => string): string[] {
  const conditions: string[] = []
  if (query.keyId !== undefined) conditions.push(`key_id = ${parameter(query.keyId)}`)
  if (query.route !== undefined) conditions.push(`route = ${parameter(query.route)}`)
  if (query.clientAddress !== undefined)
    conditions.push(`client_address = ANY (${parameter([query.clientAddress].flat())}::text[])`)
  if (query.subjectId !== undefined)
    conditions.push(`position(${parameter(JSON.stringify(query.subjectId))} IN subject_ids) > 0`)
  if (query.problemsOnly === true) conditions.push(`(status >= 400 OR state = 'failed')`)
  return conditions
}

/** The oldest entry that a page searched; null if there is no older one. */
async function lastSearched(database: Queryable, query: AuditQuery): Promise<AuditCursor | null> {
  const values: unknown[] = [query.accountId, query.livemode]
  const inWindow = windowOf(query, (value) => `$${values.push(value)}`)
  const [row] = await queryTenant<AuditCursor>(
    database,
    query,
    `SELECT ${TENANT_FIELDS}, ${asFields('request_id')}, ${asTimes('at')} FROM audit_view.entry
     WHERE ${inWindow} ORDER BY entry.at DESC, entry.request_id DESC OFFSET ${searchedEntries(query) - 1} LIMIT 1`,
    values,
  )
  return row === undefined ? null : { at: row.at, requestId: row.requestId }
}

interface EntryRow extends Tenant, Omit<AuditEntry, 'code' | 'subjectIds' | 'actor'> {
  readonly actor: string
  readonly code: string
  readonly subjectIds: string
  /** Null if the outcome is in the row. */
  readonly reportId: string | null
  readonly state: 'generated' | 'failed' | null
  readonly endedAt: string | null
}

function entryOf(row: EntryRow): AuditEntry {
  const { requestId, keyId, scope, clientAddress, method, route, at, subjectIds } = row
  const { status, code, latencyMs } = endOfRow(row)
  return {
    ...{ requestId, keyId, scope, clientAddress, method, route, status, latencyMs, at },
    code: code === '' ? null : code,
    actor: row.actor === '' ? null : row.actor,
    subjectIds: JSON.parse(subjectIds) as string[],
  }
}

function endOfRow({ at, status, code, latencyMs, reportId, state, endedAt }: EntryRow): CallEnd {
  return reportId === null
    ? { status, code, latencyMs }
    : endOf({ status, at }, { isFailed: state === 'failed', endedAt: endedAt! })
}
