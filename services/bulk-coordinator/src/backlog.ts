/** The jobs of the shards held that have not ended, in memory. The rows decide, and a new holder reads them again. */
import type { Queue } from '@cupel/domain'
import type { OpenJob } from './job-table.js'

export interface Backlog {
  /** Jobs that are already in the backlog stay unchanged. */
  add(jobs: readonly OpenJob[]): void
  /** Returns whether the change ended a job of the backlog: the same end may come more than once. */
  changed(jobId: string, change: { readonly endedUnits: number; readonly hasEnded: boolean }): boolean
  /** Another coordinator ended it. */
  ended(jobId: string): void
  released(jobId: string, released: number): void
  /**
   * Call it before the open jobs are read again, and pass the read jobs to the returned function: it takes over what other coordinators
   * applied meanwhile. Do not call it twice at once.
   */
  refreshing(): (open: readonly OpenJob[]) => void
  get(jobId: string): OpenJob | undefined
  /** Accounts with screenings to release, each with its jobs in the order of their submission. */
  queues(turnOf?: (accountId: string) => number): Queue[]
  /** Accounts with screenings to release. */
  accounts(): string[]
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
  /** Jobs that came or went since a refresh began; null while there is none. */
  let moved: Set<string> | null = null

  const remember = (job: OpenJob): void => {
    sums.add(job, 1)
    jobs.set(job.jobId, job)
    moved?.add(job.jobId)
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
    moved?.add(jobId)
    turns.leave(job)
    onEnded(job)
  }
  const takeOver = (open: readonly OpenJob[]): void => {
    const gone = new Set(jobs.keys())
    for (const { jobId } of open) gone.delete(jobId)
    for (const jobId of gone) if (moved?.has(jobId) !== true) end(jobId)
    for (const row of open) {
      const job = jobs.get(row.jobId)
      if (job === undefined) {
        if (moved?.has(row.jobId) !== true) remember(row)
      } else if (row.endedUnits > job.endedUnits) change(row.jobId, { endedUnits: row.endedUnits })
    }
    moved = null
  }

  return {
    add(opened) {
      for (const job of opened) if (!jobs.has(job.jobId)) remember(job)
    },
    changed(jobId, { endedUnits, hasEnded }) {
      const job = jobs.get(jobId)
      if (job === undefined) return false
      if (hasEnded) end(jobId)
      // A refresh may have given a later number already.
      else change(jobId, { endedUnits: Math.max(job.endedUnits, endedUnits) })
      return hasEnded
    },
    ended: end,
    refreshing() {
      moved = new Set()
      return takeOver
    },
    released: (jobId, released) => change(jobId, { released }),
    get: (jobId) => jobs.get(jobId),
    queues: (turnOf) => turns.queues(jobs, turnOf),
    accounts: () => turns.accounts(),
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
  accounts(): string[]
  queues(jobs: ReadonlyMap<string, OpenJob>, turnOf?: (accountId: string) => number): Queue[]
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
    accounts: () => [...accounts.keys()],
    queues: (jobs, turnOf) =>
      [...accounts].map(([account, jobIds]) => {
        const queue: { jobId: string; left: number }[] = []
        for (const jobId of jobIds) {
          if (queue.length === MAX_JOBS_PER_ROUND) break
          const job = jobs.get(jobId)!
          queue.push({ jobId, left: job.units - job.released })
        }
        return { account, jobs: queue, ...(turnOf === undefined ? {} : { turnItems: turnOf(account) }) }
      }),
  }
}
