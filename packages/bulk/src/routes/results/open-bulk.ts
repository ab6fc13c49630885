/** The parts of the API that bulk jobs need, put together. */
import {
  admitJob,
  createReportIds,
  validKeys,
  type Caller,
  type JobStanding,
  type NameReports,
  type TakeReportNumbers,
} from '@cupel/gate/access'
import { reportPartitionOfLane, type Logger, type Metrics } from '@cupel/contracts'
import type { Plan, PlanName } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import {
  findJob,
  findOverview,
  listJobs,
  readEndedLevels,
  readJobStates,
  readJob,
  readOverview,
  type FoundJob,
  type FoundOverview,
  type JobOverview,
  type JobPage,
  type NotFound,
  type Turn,
} from '../../read-model/index.js'
import type { Tenant } from '@cupel/projections'
import { documentReader, type FindRetirement } from '@cupel/reports/read-model'
import {
  createEventStreams,
  type EventStreams,
  type StreamLimits,
  createLargeReads,
  type LargeRead,
  type LargeReads,
  type Traffic,
} from '@cupel/gate/http'
import { createBulkJobs, type BulkJobs } from './bulk-jobs.js'
import { createEndedLevels } from './ended-levels.js'
import { createEndedOverviews } from './ended-overviews.js'
import type { ResultsUrl } from './job-documents.js'
import { createJobWatch, type JobWatch } from './job-watch.js'
import { withOpenedName } from './opened-name.js'
import { openResultReads, type BegunResults, type OrderForm, type ResultOrder } from './read-results.js'
import { createResultThread } from './result-thread.js'

export interface BulkParts {
  readonly jobs: BulkJobs
  /** Counts a job as open for the account, unless the plan allows no more. Also returns that plan. */
  readonly admit: (
    caller: Caller,
    jobId: string,
    items: number,
  ) => Promise<{ standing: JobStanding; plan: Plan }>
  readonly reader: {
    /** Without its items: one row, however many it has. `waitMs`: where it is given, the longest wait for each read model. */
    findOverview(caller: Tenant, jobId: string, waitMs?: number): Promise<FoundOverview>
  }
  /** The job with its items, each read of them in its turn. */
  readonly findItems: (caller: Tenant, jobId: string, turn: Turn) => Promise<FoundJob>
  /** Newest first. */
  readonly list: (
    caller: Pick<Caller, 'accountId' | 'livemode'>,
    query: { readonly pageSize: number; readonly before: string | null },
  ) => Promise<JobPage>
  readonly watch: JobWatch
  readonly streams: EventStreams
  readonly largeReads: LargeReads
  /** Runs a large read in the thread of large reads, and any other read at once. */
  readonly beginResults: BeginResults
  readonly stopReading: () => Promise<void>
  readonly resultsUrl: ResultsUrl
}

export type BeginResults = <Form extends OrderForm>(
  read: LargeRead | null,
  order: Extract<ResultOrder, { form: Form }>,
) => Promise<BegunResults<Form> | NotFound>

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
  readonly openJson: PersonalData['openJson']
  readonly findRetirement: FindRetirement | undefined
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
  const readDocuments = documentReader({ ...options, log, codec, logger, metrics })
  const sources = { ...finding, openJson: options.openJson, readDocuments }
  const endedOverviews = createEndedOverviews()
  const here = openResultReads(sources)
  const named = async (tenant: Tenant, found: FoundOverview): Promise<FoundOverview> =>
    found.kind === 'job'
      ? { ...found, job: await withOpenedName(options.openJson, tenant.accountId, found.job) }
      : found
  const endedLevels = createEndedLevels((tenant, jobIds) => readEndedLevels(database, tenant, jobIds))
  const thread = createResultThread({ ...sources, connection: database.connection })
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
      findOverview: async (caller, jobId, waitMs = options.readWaitMs) =>
        await named(
          caller,
          await endedOverviews.find(tenantOf(caller), jobId, (tenant) =>
            findOverview({ ...finding, timeoutMs: waitMs }, tenant, jobId),
          ),
        ),
    },
    findItems: (caller, jobId, turn) => findJob({ ...finding, turn }, tenantOf(caller), jobId),
    async list(caller, query) {
      const page = await listJobs(database, tenantOf(caller), query)
      return { ...page, jobs: await endedLevels.added(tenantOf(caller), page.jobs) }
    },
    watch: createJobWatch({
      logger,
      read: (tenant, jobId) => readStanding({ database, openJson: options.openJson }, tenant, jobId),
    }),
    streams: createEventStreams({
      ...{ logger, metrics, limits: options.streamLimits ?? {} },
      validKeys: (keyIds) => validKeys(database, keyIds),
    }),
    largeReads: createLargeReads({ logger, metrics, traffic: options.traffic }),
    beginResults: (read, order) =>
      read === null ? here.begin(order, (work) => work()) : thread.begin(order, read.slice),
    stopReading: () => thread.close(),
    resultsUrl: (jobId) => `${links.baseUrl}/v1/bulk/${jobId}/results`,
  }
}

export const tenantOf = ({ accountId, livemode }: Tenant): Tenant => ({ accountId, livemode })

/** Null if the job is not known here. */
async function readStanding(
  { database, openJson }: Pick<OpenBulkOptions, 'database' | 'openJson'>,
  tenant: Tenant,
  jobId: string,
): Promise<JobOverview | null> {
  const read = await readOverview(database, tenant, jobId)
  const job = read.kind === 'whole' ? await readJob(database, tenant, jobId) : null
  const found = read.kind === 'overview' ? read.job : job
  return found === null ? null : await withOpenedName(openJson, tenant.accountId, found)
}
