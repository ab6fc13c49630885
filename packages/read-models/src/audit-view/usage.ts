/** Usage of the keys of an account, counted from the entries of the audit log. */
import { asFields, timeText, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '../tenancy.js'

/** The calls of one key on one day, UTC. */
export interface KeyDay {
  readonly keyId: string
  /** YYYY-MM-DD. */
  readonly day: string
  readonly calls: number
  /** Addresses screened one by one. A screen names its report; a screen as of a past moment makes no report and is not counted. */
  readonly screens: number
  /** Calls that were refused or failed, including those over the rate limit. */
  readonly problems: number
  readonly rateLimited: number
}

export interface Usage {
  readonly keyDays: readonly KeyDay[]
  /** Null if every call since `since` is counted; otherwise the time of the oldest counted call. */
  readonly countedFrom: string | null
}

/** Maximum number of newest calls that one answer counts: about half a second of the database. */
export const MAX_COUNTED_CALLS = 500_000

/** `since`: UTC, RFC 3339. `limit`: number of newest calls to count. */
export async function countUsage(
  database: Queryable,
  { accountId, livemode, since, limit = MAX_COUNTED_CALLS }: Tenant & { since: string; limit?: number },
): Promise<Usage> {
  const tenant = { accountId, livemode }
  const values = [accountId, livemode, since, limit]
  const rows = await queryTenant<KeyDay & { readonly oldestAt: string }>(
    database,
    tenant,
    {
      name: 'audit-view.usage',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('key_id')}, day,
               count(*)::int8 AS calls,
               count(*) FILTER (WHERE method = 'POST' AND route = '/v1/screen' AND status < 400 AND subject_ids <> '[]')::int8 AS screens,
               count(*) FILTER (WHERE status >= 400)::int8 AS problems,
               count(*) FILTER (WHERE status = 429)::int8 AS "rateLimited",
               ${timeText('min(at)')} AS "oldestAt"
             FROM (
               SELECT account_id, livemode, key_id, method, route, status, subject_ids, at, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
               FROM audit_view.entry WHERE account_id = $1 AND livemode = $2 AND at >= $3::timestamptz
               ORDER BY at DESC, request_id DESC LIMIT $4) AS counted
             GROUP BY account_id, livemode, key_id, day ORDER BY day DESC, key_id`,
    },
    values,
  )
  const counted = rows.reduce((sum, { calls }) => sum + calls, 0)
  const oldest = rows.reduce(
    (least, { oldestAt }) => (least === '' || oldestAt < least ? oldestAt : least),
    '',
  )
  return {
    keyDays: rows.map(({ keyId, day, calls, screens, problems, rateLimited }) => ({
      ...{ keyId, day, calls, screens, problems, rateLimited },
    })),
    countedFrom: counted < limit ? null : oldest,
  }
}
