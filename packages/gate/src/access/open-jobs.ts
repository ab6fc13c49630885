/** Counts an account's open jobs and the items that wait in them. The count is taken where jobs are admitted, over all instances. */
import type { Plan } from '@cupel/domain'
import { asFields, type Queryable } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'

export interface JobOrder {
  readonly accountId: string
  readonly livemode: boolean
  readonly jobId: string
  readonly items: number
}

export interface JobStanding {
  readonly isAdmitted: boolean
  /** Open jobs of the account and environment, without the job that was asked for. */
  readonly openJobs: number
  /** Items of those jobs. An item counts until its job has ended. */
  readonly waitingItems: number
}

export interface JobState {
  readonly jobId: string
  readonly hasEnded: boolean
}

/** If no reader knows a job after this time, it was never written: the log did not accept it. */
const UNKNOWN_KEEP_MINUTES = 10

/**
 * Admits the job, or counts what prevents it. `statesOf` returns the states of those given jobs that were read from the log. It is called
 * only if the job would be refused; ended jobs are then forgotten.
 */
export async function admitJob(
  database: Queryable,
  order: JobOrder,
  plan: Pick<Plan, 'maxOpenJobs' | 'maxWaitingItems'>,
  statesOf: (jobIds: readonly string[]) => Promise<readonly JobState[]>,
): Promise<JobStanding> {
  const standing = await askFor(database, order, plan)
  if (standing.isAdmitted) return standing
  const { accountId, livemode } = order
  const rows = await database.query<{ jobId: string }>(
    {
      text: `SELECT ${asFields('job_id')} FROM access.open_job WHERE account_id = $1 AND livemode = $2`,
      scope: tenantScope(order),
    },
    [accountId, livemode],
  )
  const states = await statesOf(rows.map(({ jobId }) => jobId))
  await database.execute(
    `DELETE FROM access.open_job WHERE account_id = $1 AND livemode = $2
       AND (job_id = ANY ($3) OR (admitted_at < now() - make_interval(mins => $5) AND job_id <> ALL ($4)))`,
    [
      ...[accountId, livemode],
      states.filter(({ hasEnded }) => hasEnded).map(({ jobId }) => jobId),
      states.map(({ jobId }) => jobId),
      UNKNOWN_KEEP_MINUTES,
    ],
  )
  return await askFor(database, order, plan)
}

async function askFor(
  database: Queryable,
  { jobId, accountId, livemode, items }: JobOrder,
  { maxOpenJobs, maxWaitingItems }: Pick<Plan, 'maxOpenJobs' | 'maxWaitingItems'>,
): Promise<JobStanding> {
  const [standing] = await database.query<JobStanding & Record<string, unknown>>(
    {
      name: 'access.admit-job',
      text: `SELECT ${asFields('is_admitted, open_jobs, waiting_items')} FROM access.admit_job($1, $2, $3, $4, $5, $6)`,
    },
    [jobId, accountId, livemode, items, maxOpenJobs, maxWaitingItems],
  )
  return standing!
}
