/**
 * Reads a job so that a reader sees everything acknowledged before the read: the submission of a job, the end of a
 * job, and the reports of an ended job. Such a read waits for the projections (docs/adr/0072).
 */
import { withinMs } from '@cupel/kit/concurrency'
import { reportPartition, topicOf } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { readModelGroup, waitUntilProjected, type Tenant } from '@cupel/projections'
import { reportView } from '@cupel/reports/read-model'
import { chooseResults, type ChosenResults, type ResultChoice } from './chosen-results.js'
import { readOverview, type ReadOverview } from './job-overview.js'
import { readJob, type JobOverview, type JobReading } from './queries.js'
import { jobView } from './reducers.js'

export type FoundJob = { readonly kind: 'job'; readonly job: JobReading } | NotFound

/** A job without its items. */
export type FoundOverview = { readonly kind: 'job'; readonly job: JobOverview } | NotFound

export type NotFound =
  /** This account and environment has no such job. */
  | { readonly kind: 'unknown' }
  /** The read models did not catch up in time: the job may exist, run, or have ended. */
  | { readonly kind: 'behind' }

export interface FindJobOptions {
  readonly database: Database
  readonly log: Pick<EventLog, 'endOffset' | 'partitionFor'>
  /** Time limit for each read model to catch up with the log. */
  readonly timeoutMs: number
  /** Ends the wait. */
  readonly signal?: AbortSignal
  /** Runs each read of a job in its turn. Waiting for the read models takes no turn. */
  readonly turn?: Turn
}

export type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>

const atOnce: Turn = (work) => work()

/** Rejects if the database or the log cannot be queried. */
export async function findJob(options: FindJobOptions, tenant: Tenant, jobId: string): Promise<FoundJob> {
  const read = () => inTurn(options, () => readJob(options.database, tenant, jobId))
  const stored = await read()
  if (stored?.isTerminal === true) return { kind: 'job', job: stored }
  const isCurrent = await jobsAreCurrent(options, tenant, jobId)
  const job = await read()
  if (job === null) return { kind: isCurrent ? 'unknown' : 'behind' }
  if (!isCurrent) return { kind: 'behind' }
  return job.awaitedReportIds.length === 0 ? { kind: 'job', job } : await withReports(options, tenant, job)
}

/** The job without its items: the same state as from the whole job, read from one row. */
export async function findOverview(
  options: FindJobOptions,
  tenant: Tenant,
  jobId: string,
): Promise<FoundOverview> {
  const found = await currentOf<ReadOverview>(options, tenant, jobId, {
    read: () => readOverview(options.database, tenant, jobId),
    isFinal: (read) => read.kind === 'overview' && read.job.isTerminal,
  })
  if (found.kind === 'overview') return { kind: 'job', job: found.job }
  return found.kind === 'whole' ? await findJob(options, tenant, jobId) : found
}

/** Some results of a job, only from their rows. `whole`: they are readable only from the whole job, with findJob. */
export async function findResults(
  options: FindJobOptions,
  tenant: Tenant,
  choice: ResultChoice,
): Promise<ChosenResults | NotFound> {
  return await currentOf<ChosenResults>(options, tenant, choice.jobId, {
    read: () => chooseResults(options.database, tenant, choice),
    isFinal: (read) => read.kind === 'chosen' && read.hasEnded,
  })
}

/** Returns the current read if it is final. Otherwise reads again once the earlier events of the job are projected. */
async function currentOf<R extends { readonly kind: string }>(
  options: FindJobOptions,
  tenant: Tenant,
  jobId: string,
  { read, isFinal }: { readonly read: () => Promise<R>; readonly isFinal: (read: R) => boolean },
): Promise<R | NotFound> {
  const stored = await inTurn(options, read)
  if (isFinal(stored) || stored.kind === 'whole') return stored
  const isCurrent = await jobsAreCurrent(options, tenant, jobId)
  return isCurrent ? await inTurn(options, read) : { kind: 'behind' }
}

const inTurn = <Result>({ turn = atOnce }: FindJobOptions, work: () => Promise<Result>): Promise<Result> =>
  turn(work)

async function jobsAreCurrent(options: FindJobOptions, tenant: Tenant, jobId: string): Promise<boolean> {
  const topic = topicOf('BulkSubmitted', tenant.livemode)
  return await caughtUp(options, readModelGroup(jobView), topic, () => options.log.partitionFor(topic, jobId))
}

/** The job has ended, and its end was projected before the last of its reports. */
async function withReports(
  options: FindJobOptions,
  tenant: Tenant,
  { jobId, awaitedReportIds }: JobReading,
): Promise<FoundJob> {
  const topic = topicOf('ReportGenerated', tenant.livemode)
  const partitions = [...new Set(awaitedReportIds.map(reportPartition))]
  await Promise.all(
    partitions.map((partition) => caughtUp(options, readModelGroup(reportView), topic, () => partition)),
  )
  const job = await inTurn(options, () => readJob(options.database, tenant, jobId))
  return job?.isTerminal === true ? { kind: 'job', job } : { kind: 'behind' }
}

/** Whether the read model passes the current end of the partition in time. A log that hangs is not waited for any longer. */
async function caughtUp(
  { database, log, timeoutMs, signal }: FindJobOptions,
  group: string,
  topic: string,
  partitionOf: () => Promise<number> | number,
): Promise<boolean> {
  const catchUp = async (): Promise<boolean> => {
    const partition = await partitionOf()
    const offset = await log.endOffset(topic, partition)
    return await waitUntilProjected({
      ...{ database, group, topic, partition, offset, timeoutMs },
      ...(signal === undefined ? {} : { signal }),
    })
  }
  return (await withinMs(timeoutMs, catchUp())) === true
}
