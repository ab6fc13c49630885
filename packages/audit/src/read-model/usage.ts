/** Usage of the keys of an account, from the sums of the entries of the audit log. */
import { asFields, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'

/** The calls of one key on one day, UTC. */
export interface KeyDay {
  readonly keyId: string
  /** YYYY-MM-DD. */
  readonly day: string
  readonly calls: number
  /** Addresses and transfers screened one by one. A screen names its report; a screen as of a past moment makes no report and is not counted. */
  readonly screens: number
  /** Calls that were refused or failed, including those over the rate limit. */
  readonly problems: number
  readonly rateLimited: number
}

/** `since`: a day, YYYY-MM-DD. The newest day first. */
export async function countUsage(
  database: Queryable,
  { accountId, livemode, since }: Tenant & { since: string },
): Promise<readonly KeyDay[]> {
  const rows = await queryTenant<KeyDay>(
    database,
    { accountId, livemode },
    {
      name: 'audit-view.usage',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('key_id')}, to_char(day, 'YYYY-MM-DD') AS day, calls, screens, problems, ${asFields('rate_limited')}
             FROM audit_view.usage_day WHERE account_id = $1 AND livemode = $2 AND day >= $3::date
             ORDER BY usage_day.day DESC, key_id`,
    },
    [accountId, livemode, since],
  )
  return rows.map(({ keyId, day, calls, screens, problems, rateLimited }) => ({
    ...{ keyId, day, calls, screens, problems, rateLimited },
  }))
}

interface UsageDayCursor {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly keyId: string
}

interface UsageDayPage {
  readonly items: readonly KeyDay[]
  readonly next: UsageDayCursor | null
}

/** The days that begin in the range (UTC, RFC 3339), the newest first, and of a day its keys in the order of their ids. */
export async function listUsageDays(
  database: Queryable,
  {
    accountId,
    livemode,
    from,
    to,
    after,
    pageSize,
  }: Tenant & {
    readonly from?: string | undefined
    readonly to?: string | undefined
    readonly after: UsageDayCursor | null
    readonly pageSize: number
  },
): Promise<UsageDayPage> {
  const rows = await queryTenant<KeyDay>(
    database,
    { accountId, livemode },
    {
      name: 'audit-view.usage-days',
      text: `SELECT ${TENANT_FIELDS}, ${asFields('key_id')}, to_char(day, 'YYYY-MM-DD') AS day, calls, screens, problems, ${asFields('rate_limited')}
             FROM audit_view.usage_day WHERE account_id = $1 AND livemode = $2
               AND ($3::timestamptz IS NULL OR day::timestamp >= $3::timestamptz AT TIME ZONE 'UTC')
               AND ($4::timestamptz IS NULL OR day::timestamp < $4::timestamptz AT TIME ZONE 'UTC')
               AND ($5::date IS NULL OR day < $5::date OR day = $5::date AND key_id > $6)
             ORDER BY usage_day.day DESC, key_id LIMIT $7`,
    },
    [accountId, livemode, from ?? null, to ?? null, after?.day ?? null, after?.keyId ?? null, pageSize + 1],
  )
  const items = rows.slice(0, pageSize).map(({ keyId, day, calls, screens, problems, rateLimited }) => ({
    ...{ keyId, day, calls, screens, problems, rateLimited },
  }))
  const last = items.at(-1)
  return {
    items,
    next: rows.length > pageSize && last !== undefined ? { day: last.day, keyId: last.keyId } : null,
  }
}
