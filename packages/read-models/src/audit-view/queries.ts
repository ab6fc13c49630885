/** Reads of the audit log. Every one names the account and its environment: another one's entries do not exist. */
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '../tenancy.js'
import { endOf, type CallEnd } from './recorded-call.js'

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
}

/** Place in the list: the last entry of the page before. */
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
  readonly pageSize: number
  readonly after: AuditCursor | null
}

/**
 * Newest first. The outcome of a screen is read from the report view (docs/adr/0240); a screen that has none yet is not listed.
 * New calls do not move the pages: each page starts after the last entry of the page before.
 */
export async function listAuditEntries(database: Queryable, query: AuditQuery): Promise<AuditPage> {
  const values: unknown[] = [query.accountId, query.livemode]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['account_id = $1 AND livemode = $2', '(report_id IS NULL OR state IS NOT NULL)']
  if (query.keyId !== undefined) conditions.push(`key_id = ${parameter(query.keyId)}`)
  if (query.after !== null) {
    const { at, requestId } = query.after
    conditions.push(`(at, request_id) < (${parameter(at)}::timestamptz, ${parameter(requestId)})`)
  }
  const rows = await queryTenant<EntryRow>(
    database,
    query,
    `SELECT ${TENANT_FIELDS}, ${asFields('request_id, key_id, scope, client_address, method, route, status, code, subject_ids, latency_ms')},
       ${asTimes('at')}, ${asFields('report_id, state')}, ${asTimes('ended_at')}
     FROM audit_view.entry LEFT JOIN LATERAL (
       SELECT state, ended_at FROM report_view.report
       WHERE report.report_id = entry.report_id AND report.account_id = entry.account_id AND report.livemode = entry.livemode
     ) AS outcome ON true
     WHERE ${conditions.join(' AND ')}
     ORDER BY entry.at DESC, request_id DESC LIMIT ${parameter(query.pageSize + 1)}`,
    values,
  )
  const items = rows.slice(0, query.pageSize).map(entryOf)
  const last = items.at(-1)
  const next =
    rows.length > query.pageSize && last !== undefined ? { at: last.at, requestId: last.requestId } : null
  return { items, next }
}

interface EntryRow extends Tenant, Omit<AuditEntry, 'code' | 'subjectIds'> {
  readonly code: string
  readonly subjectIds: string
  /** Null where the outcome is in the row. */
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
    subjectIds: JSON.parse(subjectIds) as string[],
  }
}

function endOfRow({ at, status, code, latencyMs, reportId, state, endedAt }: EntryRow): CallEnd {
  return reportId === null
    ? { status, code, latencyMs }
    : endOf({ status, at }, { isFailed: state === 'failed', endedAt: endedAt! })
}
