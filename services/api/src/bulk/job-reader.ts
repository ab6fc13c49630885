/**
 * Reads a job back so that nobody is ever told "unknown" about a job they were given, or "running" about one whose end was
 * acknowledged before they asked: such a read waits for the projections (docs/adr/0073).
 */
import type { Caller } from '@cupel/access'
import { reportPartition, topicOf } from '@cupel/contracts'
import type { EventLog, Position } from '@cupel/event-log'
import type { JobReading } from '@cupel/read-models'
import { READ_YOUR_WRITES_TIMEOUT_MS } from '../screening/report-reader.js'

export type FoundJob =
  | { readonly kind: 'job'; readonly job: JobReading }
  /** Nobody has it, or another account or environment has. */
  | { readonly kind: 'unknown' }
  /** The read models did not catch up in time, so that nothing can be said. */
  | { readonly kind: 'behind' }

export interface JobReader {
  find(caller: Pick<Caller, 'accountId' | 'livemode'>, jobId: string): Promise<FoundJob>
}

export interface JobReaderOptions {
  readonly log: Pick<EventLog, 'endOffset' | 'partitionFor'>
  readonly read: (caller: Pick<Caller, 'accountId' | 'livemode'>, jobId: string) => Promise<JobReading | null>
  /** Whether the read model of jobs, or of reports, has passed `position` before the time ran out. */
  readonly waitUntilProjected: (
    of: 'jobs' | 'reports',
    position: Position,
    timeoutMs: number,
  ) => Promise<boolean>
}

export function createJobReader({ log, read, waitUntilProjected }: JobReaderOptions): JobReader {
  return {
    async find(caller, jobId) {
      const stored = await read(caller, jobId)
      if (stored?.isTerminal === true) return { kind: 'job', job: stored }
      const topic = topicOf('BulkSubmitted', caller.livemode)
      const partition = await log.partitionFor(topic, jobId)
      const offset = await log.endOffset(topic, partition)
      const isCurrent = await waitUntilProjected(
        'jobs',
        { topic, partition, offset },
        READ_YOUR_WRITES_TIMEOUT_MS,
      )
      const job = await read(caller, jobId)
      if (job === null) return { kind: isCurrent ? 'unknown' : 'behind' }
      if (!isCurrent) return { kind: 'behind' }
      return job.awaitedReportIds.length === 0 ? { kind: 'job', job } : await withReports(caller, job)
    },
  }

  /** The job has ended, and its end came through before the last of its reports did. */
  async function withReports(
    caller: Pick<Caller, 'accountId' | 'livemode'>,
    { jobId, awaitedReportIds }: JobReading,
  ): Promise<FoundJob> {
    const topic = topicOf('ReportGenerated', caller.livemode)
    await Promise.all(
      [...new Set(awaitedReportIds.map(reportPartition))].map(async (partition) => {
        const offset = await log.endOffset(topic, partition)
        await waitUntilProjected('reports', { topic, partition, offset }, READ_YOUR_WRITES_TIMEOUT_MS)
      }),
    )
    const job = await read(caller, jobId)
    return job?.isTerminal === true ? { kind: 'job', job } : { kind: 'behind' }
  }
}
