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
