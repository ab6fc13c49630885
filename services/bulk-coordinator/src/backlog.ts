/** The jobs that have not ended, in the memory of the lease holder. The rows decide, and a new holder reads them again. */
import type { Queue } from '@cupel/domain'
import type { OpenJob } from './job-table.js'

export interface Backlog {
  /** Jobs that are already in the backlog stay unchanged. */
  add(jobs: readonly OpenJob[]): void
  /** Whether a job of the backlog ended by it: the same end is told more than once. */
  changed(jobId: string, change: { readonly endedUnits: number; readonly hasEnded: boolean }): boolean
  released(jobId: string, released: number): void
  get(jobId: string): OpenJob | undefined
  /** Accounts with screenings to release, each with its jobs in the order of their submission. */
  queues(): Queue[]
  /** Screenings released and not ended, without those of ended jobs. */
  underWay(): number
  /** Screenings not released. */
  waiting(): number
  size(): number
}

/** Jobs of one account that a round considers: more than any window has room for. */
const MAX_JOBS_PER_ROUND = 64

export function createBacklog(): Backlog {
  const jobs = new Map<string, OpenJob>()
  /** Jobs with screenings to release, by account. Both environments of an account share its turn. */
  const accounts = new Map<string, Set<string>>()
  let underWay = 0
  let waiting = 0

  const forget = (job: OpenJob): void => {
    underWay -= job.released - job.endedUnits
    waiting -= job.units - job.released
    jobs.delete(job.jobId)
    unqueue(job)
  }
  const remember = (job: OpenJob): void => {
    underWay += job.released - job.endedUnits
    waiting += job.units - job.released
    jobs.set(job.jobId, job)
    if (job.released < job.units) {
      const queue = accounts.get(job.accountId)
      if (queue === undefined) accounts.set(job.accountId, new Set([job.jobId]))
      else queue.add(job.jobId)
    } else unqueue(job)
  }
  const unqueue = ({ accountId, jobId }: OpenJob): void => {
    const queue = accounts.get(accountId)
    queue?.delete(jobId)
    if (queue?.size === 0) accounts.delete(accountId)
  }
  const replace = (job: OpenJob, by: OpenJob): void => {
    underWay += by.released - by.endedUnits - (job.released - job.endedUnits)
    waiting += by.units - by.released - (job.units - job.released)
    jobs.set(by.jobId, by)
    if (by.released === by.units) unqueue(by)
  }

  return {
    add(opened) {
      for (const job of opened) if (!jobs.has(job.jobId)) remember(job)
    },
    changed(jobId, { endedUnits, hasEnded }) {
      const job = jobs.get(jobId)
      if (job === undefined) return false
      if (hasEnded) forget(job)
      else replace(job, { ...job, endedUnits })
      return hasEnded
    },
    released(jobId, released) {
      const job = jobs.get(jobId)
      if (job !== undefined) replace(job, { ...job, released })
    },
    get: (jobId) => jobs.get(jobId),
    queues() {
      return [...accounts].map(([account, jobIds]) => {
        const queue: { jobId: string; left: number }[] = []
        for (const jobId of jobIds) {
          if (queue.length === MAX_JOBS_PER_ROUND) break
          const job = jobs.get(jobId)!
          queue.push({ jobId, left: job.units - job.released })
        }
        return { account, jobs: queue }
      })
    },
    underWay: () => Math.max(0, underWay),
    waiting: () => waiting,
    size: () => jobs.size,
  }
}
