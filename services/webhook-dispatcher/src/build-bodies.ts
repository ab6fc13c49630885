/** Gives deliveries their body as soon as their job and all its reports can be read, one body for each payload kind. */
import type { Logger } from '@cupel/contracts'
import { jobWebhookBody, type EndedItem, type EndedJob } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { readItemReports, readJob } from '@cupel/read-models'
import { listMissingBodies, storeBody, type MissingBody, type Owner } from '@cupel/webhooks'
import { createWake } from './wake.js'

/** A job that ended, with what became of each address; null while not all of it can be read. */
export type ReadEndedJob = (
  owner: Owner,
  jobId: string,
) => Promise<{ readonly job: EndedJob; readonly items: readonly EndedItem[] } | null>

export interface BodyBuilding {
  /** Deliveries were made. */
  wake(): void
  error(): string | null
  stop(): Promise<void>
}

export interface BodyBuildingOptions {
  readonly database: Database
  readonly readEndedJob: ReadEndedJob
  readonly resultsUrl: (jobId: string) => string
  readonly logger: Logger
  /** Deliveries have got their body. */
  readonly onBodies: () => void
}

/** The read models are usually this close behind the log. */
const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 500
/** Deliveries made by another instance are found by looking. */
const LOOK_INTERVAL_MS = 1_000
/** Then it is looked again, so that who comes new waits for no more than these. */
const MAX_MISSING = 50
const MOST_MISSING = 3_200
const MAX_AT_ONCE = 4

export function startBuildingBodies(options: BodyBuildingOptions): BodyBuilding {
  const { database, logger } = options
  const wake = createWake()
  let isStopping = false
  let error: string | null = null
  let waitMs = FIRST_WAIT_MS
  let limit = MAX_MISSING
  const running = run()

  return {
    wake() {
      waitMs = FIRST_WAIT_MS
      wake.now()
    },
    error: () => error,
    async stop() {
      isStopping = true
      wake.now()
      await running
    },
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      const missing = await list(limit)
      const built = await buildAll(missing)
      const isAll = missing.length < limit
      // Where none of those in front can be built, it is looked further behind them.
      limit = built === 0 && !isAll ? Math.min(2 * limit, MOST_MISSING) : MAX_MISSING
      if (built === missing.length && isAll) {
        waitMs = FIRST_WAIT_MS
        await wake.wait(LOOK_INTERVAL_MS)
      } else if (built === 0) {
        await wake.wait(waitMs)
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
      }
    }
  }

  async function list(limit: number): Promise<MissingBody[]> {
    try {
      const missing = await listMissingBodies(database, limit)
      error = null
      return missing
    } catch (caught) {
      note(caught, 'Bodies of webhooks cannot be looked for')
      return []
    }
  }

  async function buildAll(missing: readonly MissingBody[]): Promise<number> {
    let built = 0
    const rest = [...missing]
    const work = async (): Promise<void> => {
      for (let one = rest.shift(); one !== undefined && !isStopping; one = rest.shift()) {
        try {
          if (await build(one)) built += 1
        } catch (caught) {
          // The others go on: one job that cannot be read holds up its own webhooks alone.
          note(caught, `The body of a webhook for job ${one.jobId} cannot be built`)
        }
        if (built > 0) options.onBodies()
      }
    }
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
    return built
  }

  async function build(missing: MissingBody): Promise<boolean> {
    const ended = await options.readEndedJob(missing, missing.jobId)
    if (ended === null) return false
    const { type, payload, jobId } = missing
    await storeBody(
      database,
      missing,
      jobWebhookBody(type, payload, ended.job, ended.items, options.resultsUrl(jobId)),
    )
    return true
  }

  function note(caught: unknown, what: string): void {
    const reason = caught instanceof Error ? caught.message : String(caught)
    if (reason !== error) logger.warn({ err: caught }, `${what}: ${reason}`)
    error = reason
  }
}

/** Reads jobs where the read models keep them. A job that shows its end shows what became of all its items. */
export function readEndedJobFrom(database: Database): ReadEndedJob {
  return async ({ accountId, livemode }, jobId) => {
    const tenant = { accountId, livemode }
    const job = await readJob(database, tenant, jobId)
    if (job === null || !job.isTerminal || job.completedAt === null) return null
    const reports = await readItemReports(database, tenant, job.items)
    const items = job.items.map((item): EndedItem => {
      const { index, address, status } = item
      const reportId = item.status === 'completed' ? item.reportId : null
      const report = reportId === null ? null : reports.get(reportId)
      if (report === undefined) throw new Error(`Report ${reportId} of a completed item cannot be read`)
      const error = item.status === 'failed' ? { code: item.code, detail: item.detail } : null
      return { index, address, status, reportId, report, error }
    })
    const { total, completed, failed, cancelled, completedAt } = job
    return {
      job: { jobId, status: job.status, total, completed, failed, cancelled, endedAt: completedAt },
      items,
    }
  }
}
