/** The parts of the API that bulk jobs need, put together. */
import { admitJob, validKeys, type Caller, type JobStanding, type TakeReportNumbers } from '@cupel/access'
import { reportPartitionOfLane, type Logger, type Metrics } from '@cupel/contracts'
import type { Plan, PlanName } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  findJob,
  findOverview,
  findResults,
  type Turn,
  listJobs,
  readEndedResults,
  readItemReports,
  readJobStates,
  readJob,
  readOverview,
  type ChosenResults,
  type FoundJob,
  type FoundOverview,
  type JobItem,
  type JobOverview,
  type JobPage,
  type NotFound,
  type ResultChoice,
  type ResultStretch,
  type Tenant,
} from '@cupel/read-models'
import { createEventStreams, type EventStreams, type StreamLimits } from '../http/event-streams.js'
import { createLargeReads, type LargeReads } from '../http/large-reads.js'
import type { Traffic } from '../http/traffic.js'
import type { NameReports } from '../screening/report-id-cipher.js'
import { createReportIds } from '../screening/report-ids.js'
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
    /** With all its items, in memory: for what shows or sorts the whole job. Reads when it is their turn, where a turn is given. */
    find(caller: Tenant, jobId: string, turn?: Turn): Promise<FoundJob>
    /** Without its items: one row, however many it has. `waitMs`: where it is given, the longest wait for each read model. */
    findOverview(caller: Tenant, jobId: string, waitMs?: number): Promise<FoundOverview>
    /** Results of an ended job in the order of the submission; null where `find` has to look. */
    findEndedResults(
      caller: Tenant,
      order: { readonly jobId: string; readonly from: number; readonly size: number },
    ): Promise<ResultStretch | null>
    /** Results that are chosen or sorted, from a place on, also while the job runs. */
    findResults(caller: Tenant, choice: ResultChoice, turn?: Turn): Promise<ChosenResults | NotFound>
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
  /** How long a read waits for each read model. */
  readonly readWaitMs: number
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
  const finding = { database, log, timeoutMs: options.readWaitMs }
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
      find: (caller, jobId, turn) => findJob({ ...finding, ...turnOf(turn) }, tenantOf(caller), jobId),
      findOverview: (caller, jobId, waitMs = options.readWaitMs) =>
        findOverview({ ...finding, timeoutMs: waitMs }, tenantOf(caller), jobId),
      findEndedResults: (caller, order) => readEndedResults(database, tenantOf(caller), order),
      findResults: (caller, choice, turn) =>
        findResults({ ...finding, ...turnOf(turn) }, tenantOf(caller), choice),
    },
    list: ({ accountId, livemode }, query) => listJobs(database, { accountId, livemode }, query),
    watch: createJobWatch({ logger, read: (tenant, jobId) => readStanding(database, tenant, jobId) }),
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

const tenantOf = ({ accountId, livemode }: Tenant): Tenant => ({ accountId, livemode })

/** Null where the job is not known here. */
async function readStanding(database: Database, tenant: Tenant, jobId: string): Promise<JobOverview | null> {
  const read = await readOverview(database, tenant, jobId)
  if (read.kind === 'overview') return read.job
  return read.kind === 'unknown' ? null : await readJob(database, tenant, jobId)
}
const turnOf = (turn: Turn | undefined): { readonly turn?: Turn } => (turn === undefined ? {} : { turn })
