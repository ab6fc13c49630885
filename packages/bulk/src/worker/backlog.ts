/** The jobs that have not ended, in memory. The rows decide, and a new holder of the lease reads them again. */
import type { Queue } from '@cupel/domain'
import type { OpenJob } from './job-table.js'

export interface Backlog {
  /** Jobs that are already in the backlog stay unchanged. */
  add(jobs: readonly OpenJob[]): void
  /** Returns whether the change ended a job of the backlog: the same end may come more than once. */
  changed(jobId: string, change: { readonly endedUnits: number; readonly hasEnded: boolean }): boolean
  /** Its row says that it has ended. */
  ended(jobId: string): void
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

/** `onEnded` is called once for each job of the backlog that ended. */
export function createBacklog(onEnded: (job: OpenJob) => void = () => undefined): Backlog {
  const jobs = new Map<string, OpenJob>()
  const turns = createTurns()
  const sums = createSums()

  const remember = (job: OpenJob): void => {
    sums.add(job, 1)
    jobs.set(job.jobId, job)
    if (job.released < job.units) turns.join(job)
  }
  const change = (jobId: string, news: Partial<OpenJob>): void => {
    const job = jobs.get(jobId)
    if (job === undefined) return
    const by = { ...job, ...news }
    sums.add(job, -1)
    sums.add(by, 1)
    jobs.set(by.jobId, by)
    if (by.released === by.units) turns.leave(by)
  }
  const end = (jobId: string): void => {
    const job = jobs.get(jobId)
    if (job === undefined) return
    sums.add(job, -1)
    jobs.delete(jobId)
    turns.leave(job)
    onEnded(job)
  }
  return {
    add(opened) {
      for (const job of opened) if (!jobs.has(job.jobId)) remember(job)
    },
    changed(jobId, { endedUnits, hasEnded }) {
      const job = jobs.get(jobId)
      if (job === undefined) return false
      if (hasEnded) end(jobId)
      else change(jobId, { endedUnits })
      return hasEnded
    },
    ended: end,
    released: (jobId, released) => change(jobId, { released }),
    get: (jobId) => jobs.get(jobId),
    queues: () => turns.queues(jobs),
    underWay: () => sums.underWay(),
    waiting: () => sums.waiting(),
    size: () => jobs.size,
  }
}

function createSums(): { add(job: OpenJob, sign: 1 | -1): void; underWay(): number; waiting(): number } {
  let underWay = 0
  let waiting = 0
  return {
    add(job, sign) {
      underWay += sign * (job.released - job.endedUnits)
      waiting += sign * (job.units - job.released)
    },
    underWay: () => Math.max(0, underWay),
    waiting: () => waiting,
  }
}

interface Turns {
  join(job: OpenJob): void
  leave(job: OpenJob): void
  queues(jobs: ReadonlyMap<string, OpenJob>): Queue[]
}

/** Jobs with screenings to release, by account. Both environments of an account share its turn. */
function createTurns(): Turns {
  const accounts = new Map<string, Set<string>>()
  return {
    join({ accountId, jobId }) {
      const queue = accounts.get(accountId)
      if (queue === undefined) accounts.set(accountId, new Set([jobId]))
      else queue.add(jobId)
    },
    leave({ accountId, jobId }) {
      const queue = accounts.get(accountId)
      queue?.delete(jobId)
      if (queue?.size === 0) accounts.delete(accountId)
    },
    queues: (jobs) =>
      [...accounts].map(([account, jobIds]) => {
        const queue: { jobId: string; left: number }[] = []
        for (const jobId of jobIds) {
          if (queue.length === MAX_JOBS_PER_ROUND) break
          const job = jobs.get(jobId)!
          queue.push({ jobId, left: job.units - job.released })
        }
        return { account, jobs: queue }
      }),
  }
}
