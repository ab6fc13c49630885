/** Reads an ended job from the read models, once they have caught up with its end. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EndedItem, EndedJob } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { findJob, readItemReports, type JobItem, type JobReading } from '@cupel/bulk/read-model'
import { documentReader } from '@cupel/reports/read-model'
import type { Owner } from '../index.js'

/**
 * Resolves to a function that reads the job, once its end and the reports of all its items can be read. Resolves to null where
 * that takes too long, or where the signal is aborted.
 */
export type ReadEndedJob = (
  owner: Owner,
  jobId: string,
  signal: AbortSignal,
) => Promise<(() => Promise<EndedJobWithItems>) | null>

export interface EndedJobWithItems {
  readonly job: EndedJob
  readonly items: readonly EndedItem[]
}

/** No caller waits for this answer, and a longer wait queries the database less often. */
const TIMEOUT_MS = 30_000

export function readEndedJobFrom(parts: {
  readonly database: Database
  readonly log: Pick<EventLog, 'endOffset' | 'partitionFor' | 'read' | 'macs'>
  readonly codec: EventCodec
  readonly logger?: Logger
  readonly metrics?: Metrics
}): ReadEndedJob {
  const reading = { database: parts.database, readDocuments: documentReader(parts) }
  return async ({ accountId, livemode }, jobId, signal) => {
    const tenant = { accountId, livemode }
    const found = await findJob({ ...parts, timeoutMs: TIMEOUT_MS, signal }, tenant, jobId)
    if (found.kind !== 'job' || !found.job.isTerminal) return null
    const { job } = found
    return async () => endedJob({ ...job, livemode }, await readItemReports(reading, tenant, job.items))
  }
}

function endedJob(
  reading: JobReading & Pick<Owner, 'livemode'>,
  reports: ReadonlyMap<string, string>,
): EndedJobWithItems {
  const { jobId, name, livemode, status, total, completed, failed, cancelled, completedAt } = reading
  if (completedAt === null) throw new Error(`Job ${jobId} has ended without a time`)
  return {
    job: { jobId, name, livemode, status, total, completed, failed, cancelled, endedAt: completedAt },
    items: reading.items.map((item) => endedItem(item, reports)),
  }
}

function endedItem(item: JobItem, reports: ReadonlyMap<string, string>): EndedItem {
  const { index, address, reference, status } = item
  const reportId = item.status === 'completed' ? item.reportId : null
  const report = reportId === null ? null : reports.get(reportId)
  if (report === undefined) throw new Error(`Report ${reportId} of an item of an ended job cannot be read`)
  const error = item.status === 'failed' ? { code: item.code, detail: item.detail } : null
  return { number: index + 1, address, reference, status, reportId, report, error }
}
