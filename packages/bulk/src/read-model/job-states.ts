/** Which of the given jobs are known here, and which of them have ended. */
import { asFields, type Queryable } from '@cupel/postgres'
import { queryTenant, TENANT_FIELDS, type Tenant } from '@cupel/projections'

/** Those of the given jobs that this account and environment has here; the others were not read from the log yet. */
export async function readJobStates(
  database: Queryable,
  tenant: Tenant,
  jobIds: readonly string[],
): Promise<readonly { readonly jobId: string; readonly hasEnded: boolean }[]> {
  return await queryTenant<{ readonly jobId: string; readonly hasEnded: boolean }>(
    database,
    tenant,
    `SELECT ${TENANT_FIELDS}, ${asFields('job_id')}, status IS NOT NULL AS "hasEnded" FROM job_view.job
     WHERE job_id = ANY($1) AND account_id = $2 AND livemode = $3`,
    [jobIds, tenant.accountId, tenant.livemode],
  )
}
