/** The parts of the API that bulk jobs need, put together. */
import type { Caller } from '@cupel/access'
import { reportPartitionOfLane } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { findJob, readItemReports, type FoundJob, type JobItem } from '@cupel/read-models'
import type { NameReports } from '../screening/report-id-cipher.js'
import { createReportIds } from '../screening/report-ids.js'
import { READ_YOUR_WRITES_TIMEOUT_MS } from '../screening/report-reader.js'
import { createBulkJobs, type BulkJobs } from './bulk-jobs.js'
import type { ResultsUrl } from './job-documents.js'

export interface BulkParts {
  readonly jobs: BulkJobs
  readonly reader: { find(caller: Pick<Caller, 'accountId' | 'livemode'>, jobId: string): Promise<FoundJob> }
  /** Reports of items, byte for byte, by report id. */
  readonly readReports: (caller: Caller, items: readonly JobItem[]) => Promise<ReadonlyMap<string, string>>
  readonly resultsUrl: ResultsUrl
}

export interface OpenBulkOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly deadlineMs: number
  readonly takeNumbers: (count: number) => Promise<number>
  readonly nameReports: NameReports
  /** As callers see them; known once the API listens. */
  readonly links: { readonly baseUrl: string; readonly reportPageUrl: string }
}

export function openBulk({ log, codec, database, links, ...options }: OpenBulkOptions): BulkParts {
  const reportIds = createReportIds({
    take: options.takeNumbers,
    idsOf: (first, count) =>
      options.nameReports(first, count, (number) => reportPartitionOfLane('bulk', number)),
  })
  return {
    jobs: createBulkJobs({
      log,
      codec,
      reportIds,
      reportPageUrl: () => links.reportPageUrl,
      deadlineMs: options.deadlineMs,
    }),
    reader: {
      find: ({ accountId, livemode }, jobId) =>
        findJob({ database, log, timeoutMs: READ_YOUR_WRITES_TIMEOUT_MS }, { accountId, livemode }, jobId),
    },
    readReports: ({ accountId, livemode }, items) =>
      readItemReports(database, { accountId, livemode }, items),
    resultsUrl: (jobId) => `${links.baseUrl}/v1/bulk/${jobId}/results`,
  }
}
