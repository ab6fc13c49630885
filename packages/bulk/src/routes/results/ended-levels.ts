/** Remembers the levels of ended jobs, which no longer change: the database counts them anew from every item of each listed job. */
import type { JobOverview, JobSummary } from '../../read-model/index.js'
import type { Tenant } from '@cupel/projections'

type Levels = JobOverview['levels']

export type ReadLevels = (tenant: Tenant, jobIds: readonly string[]) => Promise<ReadonlyMap<string, Levels>>

/** The levels of a job take some 100 bytes. */
const MAX_KEPT = 5_000

export interface EndedLevels {
  /** The jobs with their levels. */
  added(tenant: Tenant, jobs: readonly JobSummary[]): Promise<JobSummary[]>
}

export function createEndedLevels(read: ReadLevels): EndedLevels {
  /** The oldest first. */
  const kept = new Map<string, Levels>()
  return {
    async added(tenant, jobs) {
      const keyOf = ({ jobId }: JobSummary): string =>
        JSON.stringify([tenant.accountId, tenant.livemode, jobId])
      const unknown = jobs.filter((job) => job.levels === null && !kept.has(keyOf(job)))
      const found = await read(
        tenant,
        unknown.map(({ jobId }) => jobId),
      )
      return jobs.map((job) => {
        if (job.levels !== null) return job
        const levels = kept.get(keyOf(job)) ?? found.get(job.jobId) ?? {}
        // The last results of a job may become readable a moment after its end.
        if (sumOf(levels) === job.completed) {
          kept.set(keyOf(job), levels)
          const [oldest] = kept.keys()
          if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
        }
        return { ...job, levels }
      })
    },
  }
}

const sumOf = (levels: Levels): number => Object.values(levels).reduce((sum, count) => sum + count, 0)
