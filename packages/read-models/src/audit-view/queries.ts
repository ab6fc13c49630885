/** Reads of the audit log. Every one names the account and its environment: another one's entries do not exist. */
import type { Queryable } from '@cupel/postgres'
import { queryTenant, type Tenant, type TenantRow } from '../tenancy.js'

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

/** Newest first. Pages stay put while new calls are recorded: each goes on behind the last entry of the one before. */
export async function listAuditEntries(database: Queryable, query: AuditQuery): Promise<AuditPage> {
  const values: unknown[] = [query.accountId, query.livemode]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['account_id = $1 AND livemode = $2']
  if (query.keyId !== undefined) conditions.push(`key_id = ${parameter(query.keyId)}`)
  if (query.after !== null) {
    const { at, requestId } = query.after
    conditions.push(`(at, request_id) < (${parameter(at)}::timestamptz, ${parameter(requestId)})`)
  }
  const rows = await queryTenant<EntryRow>(
    database,
    query,
    `SELECT account_id, livemode, request_id, key_id, scope, client_address, method, route, status, code, subject_ids, latency_ms, at
     FROM audit_view.entry WHERE ${conditions.join(' AND ')}
     ORDER BY at DESC, request_id DESC LIMIT ${parameter(query.pageSize + 1)}`,
    values,
  )
  const items = rows.slice(0, query.pageSize).map(entryOf)
  const last = items.at(-1)
  const next =
    rows.length > query.pageSize && last !== undefined ? { at: last.at, requestId: last.requestId } : null
  return { items, next }
}

interface EntryRow extends TenantRow {
  readonly request_id: string
  readonly key_id: string
  readonly scope: string
  readonly client_address: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code: string
  readonly subject_ids: string
  readonly latency_ms: number
  readonly at: Date
}

function entryOf(row: EntryRow): AuditEntry {
  return {
    requestId: row.request_id,
    keyId: row.key_id,
    scope: row.scope,
    clientAddress: row.client_address,
    method: row.method,
    route: row.route,
    status: row.status,
    code: row.code === '' ? null : row.code,
    subjectIds: JSON.parse(row.subject_ids) as string[],
    latencyMs: row.latency_ms,
    at: row.at.toISOString(),
  }
}
