/** The parts of the API that bulk jobs need, put together. */
import { admitJob, validKeys, type Caller, type JobStanding, type TakeReportNumbers } from '@cupel/access'
import { reportPartitionOfLane, type Logger, type Metrics } from '@cupel/contracts'
import type { Plan, PlanName } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  findJob,
  listJobs,
  chooseEndedResults,
  readEndedResults,
  readItemReports,
  readJobStates,
  readJob,
  type FoundJob,
  type JobItem,
  type JobPage,
  type ResultChoice,
  type ResultStretch,
} from '@cupel/read-models'
import { createEventStreams, type EventStreams, type StreamLimits } from '../http/event-streams.js'
import { createLargeReads, type LargeReads } from '../http/large-reads.js'
import type { Traffic } from '../http/traffic.js'
import type { NameReports } from '../screening/report-id-cipher.js'
import { createReportIds } from '../screening/report-ids.js'
import { READ_YOUR_WRITES_TIMEOUT_MS } from '../screening/report-reader.js'
import { createBulkJobs, type BulkJobs } from './bulk-jobs.js'
import type { ResultsUrl } from './job-documents.js'
import { createJobWatch, type JobWatch } from './job-watch.js'

export interface BulkParts {
  readonly jobs: BulkJobs
  /** Counts a job among those the account has open, unless that would be too many; with the plan that says so. */
  readonly admit: (
    caller: Caller,
    jobId: string,
    items: number,
  ) => Promise<{ standing: JobStanding; plan: Plan }>
  readonly reader: {
    find(caller: Pick<Caller, 'accountId' | 'livemode'>, jobId: string): Promise<FoundJob>
    /** Results of an ended job in the order of the submission; null where `find` has to look. */
    findEndedResults(
      caller: Pick<Caller, 'accountId' | 'livemode'>,
      order: { readonly jobId: string; readonly from: number; readonly size: number },
    ): Promise<ResultStretch | null>
    /** Results of an ended job that are chosen or sorted, from a place on; null where `find` has to look. */
    chooseEndedResults(
      caller: Pick<Caller, 'accountId' | 'livemode'>,
      choice: ResultChoice,
    ): Promise<readonly JobItem[] | null>
  }
  /** Newest first. */
  readonly list: (
    caller: Pick<Caller, 'accountId' | 'livemode'>,
    query: { readonly pageSize: number; readonly before: string | null },
  ) => Promise<JobPage>
  readonly watch: JobWatch
  readonly streams: EventStreams
  readonly largeReads: LargeReads
  /** Reports of items, byte for byte, by report id. */
  readonly readReports: (caller: Caller, items: readonly JobItem[]) => Promise<ReadonlyMap<string, string>>
  readonly resultsUrl: ResultsUrl
}

export interface OpenBulkOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly streamLimits: Partial<StreamLimits> | undefined
  readonly plans: Readonly<Record<PlanName, Plan>>
  readonly deadlineMs: number
  readonly takeNumbers: TakeReportNumbers
  readonly nameReports: NameReports
  readonly traffic: Traffic
  /** As callers see them; known once the API listens. */
  readonly links: { readonly baseUrl: string; readonly reportPageUrl: string }
}

export function openBulk({
  log,
  codec,
  database,
  links,
  logger,
  metrics,
  ...options
}: OpenBulkOptions): BulkParts {
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
    async admit({ accountId, livemode, plan: planName }, jobId, items) {
      const plan = options.plans[planName]
      const order = { accountId, livemode, jobId, items }
      const standing = await admitJob(database, order, plan, (jobIds) =>
        readJobStates(database, { accountId, livemode }, jobIds),
      )
      return { standing, plan }
    },
    reader: {
      find: ({ accountId, livemode }, jobId) =>
        findJob({ database, log, timeoutMs: READ_YOUR_WRITES_TIMEOUT_MS }, { accountId, livemode }, jobId),
      findEndedResults: ({ accountId, livemode }, order) =>
        readEndedResults(database, { accountId, livemode }, order),
      chooseEndedResults: ({ accountId, livemode }, choice) =>
        chooseEndedResults(database, { accountId, livemode }, choice),
    },
    list: ({ accountId, livemode }, query) => listJobs(database, { accountId, livemode }, query),
    watch: createJobWatch({ logger, read: (tenant, jobId) => readJob(database, tenant, jobId) }),
    streams: createEventStreams({
      ...{ logger, metrics, limits: options.streamLimits ?? {} },
      validKeys: (keyIds) => validKeys(database, keyIds),
    }),
    largeReads: createLargeReads({ logger, metrics, traffic: options.traffic }),
    readReports: ({ accountId, livemode }, items) =>
      readItemReports(database, { accountId, livemode }, items),
    resultsUrl: (jobId) => `${links.baseUrl}/v1/bulk/${jobId}/results`,
  }
}
