/** Where a report is that was cut from the log, for an installation that names no archive. */
import type { Queryable } from '@cupel/postgres'
import { findLogRetirement, queryTenant, TENANT_FIELDS } from '@cupel/projections'
import type { FindRetirement } from './stored-documents.js'

/** The row of a report stays, and says its month. Resolves to null for a report of another tenant. */
export const retirementFinder =
  (database: Queryable): FindRetirement =>
  async ({ accountId, livemode }, reportId) => {
    const [row] = await queryTenant<{ readonly month: string }>(
      database,
      { accountId, livemode },
      {
        name: 'report-view.month',
        text: `SELECT ${TENANT_FIELDS}, to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month
               FROM report_view.report WHERE report_id = $1 AND account_id = $2 AND livemode = $3`,
      },
      [reportId, accountId, livemode],
    )
    if (row === undefined) return null
    const found = await findLogRetirement(database, row.month)
    return found === null ? null : { month: row.month, archive: found.archive, cutAt: found.begunAt }
  }
