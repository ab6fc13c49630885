/** The bulk work that an installation has not done yet. */
import { asFields, type Queryable } from '@cupel/postgres'

export interface BacklogSize {
  readonly openJobs: number
  /** Screenings of those jobs that are not decided yet. */
  readonly waitingScreenings: number
  /** Jobs and screenings of the account that has most of them. */
  readonly largestAccount: { readonly openJobs: number; readonly waitingScreenings: number }
}

export async function readBacklogSize(database: Queryable): Promise<BacklogSize> {
  const [size] = await database.query<Record<string, number>>(
    `WITH account AS (
       SELECT count(*)::int AS open_jobs, sum(units - ended_units)::int AS waiting
       FROM bulk.job WHERE ending IS NULL GROUP BY account_id)
     SELECT ${asFields('open_jobs, waiting, most_jobs, most_waiting')} FROM (
       SELECT coalesce(sum(open_jobs), 0)::int AS open_jobs, coalesce(sum(waiting), 0)::int AS waiting,
         coalesce(max(open_jobs), 0) AS most_jobs, coalesce(max(waiting), 0) AS most_waiting FROM account) AS sums`,
  )
  const { openJobs = 0, waiting = 0, mostJobs = 0, mostWaiting = 0 } = size ?? {}
  return {
    openJobs,
    waitingScreenings: waiting,
    largestAccount: { openJobs: mostJobs, waitingScreenings: mostWaiting },
  }
}
