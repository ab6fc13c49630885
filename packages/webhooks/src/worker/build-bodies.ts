/** Builds the body of deliveries as soon as the job and all its reports can be read: one body for each payload kind. */
import { createSlots, sleep, startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { jobWebhookBody, type MailStyle } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { createTrouble, type Trouble } from '@cupel/projections'
import { listMissingBodies, storeBody, type MissingBody } from '../index.js'
import type { ReadEndedJob } from './read-ended-job.js'

export interface BodyBuilding {
  /** Deliveries were made. */
  wake(): void
  /** Why bodies wait; null if nothing is wrong. */
  error(): string | null
  stop(): Promise<void>
}

export interface BodyBuildingOptions {
  readonly database: Database
  readonly readEndedJob: ReadEndedJob
  readonly resultsUrl: (jobId: string) => string
  readonly mailStyle: () => MailStyle
  readonly logger: Logger
  /** Deliveries have got their body. */
  readonly onBodies: () => void
}

/** Deliveries that another instance made are found within this time. */
const LOOK_INTERVAL_MS = 2_000
/** Missing bodies begun in one step. */
const MAX_BEGUN_PER_LOOK = 50
/** Missing bodies whose jobs are waited for at once: a job that cannot be read does not delay other jobs. */
const MAX_WAITING = 3_200
/** Jobs are large: few bodies are built at once. */
const MAX_BUILT_AT_ONCE = 4
/** Pause before a job that could not be read is tried again. */
const RETRY_PAUSE_MS = 500

interface Building extends BodyBuildingOptions {
  /** Bodies that wait for their job or are being built. */
  readonly underWay: Map<string, Promise<void>>
  readonly inSlot: ReturnType<typeof createSlots>
  readonly trouble: Trouble
  readonly stopping: AbortSignal
}

export function startBuildingBodies(options: BodyBuildingOptions): BodyBuilding {
  const stopping = new AbortController()
  const building: Building = {
    ...options,
    underWay: new Map(),
    inSlot: createSlots(MAX_BUILT_AT_ONCE),
    trouble: createTrouble(),
    stopping: stopping.signal,
  }
  const loop = startLoop({
    step: () => beginMissing(building),
    restMs: LOOK_INTERVAL_MS,
    onError: (error) => complain(building, LOOKING, error, 'Webhooks without a body could not be listed'),
  })
  return {
    wake: () => loop.wake(),
    error: () => building.trouble.reason(),
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all(building.underWay.values())
    },
  }
}

/** Keys of failures in the trouble list. */
const LOOKING = 'looking'
const BUILDING = 'building'

/** Begins the bodies that are missing and not under way. Resolves to 0 if there may be more. */
async function beginMissing(building: Building): Promise<number | undefined> {
  const { database, underWay, trouble } = building
  const limit = Math.min(underWay.size + MAX_BEGUN_PER_LOOK, MAX_WAITING)
  const missing = await listMissingBodies(database, limit)
  trouble.over(LOOKING)
  // Another instance may have built the body that failed here.
  if (missing.length === 0) trouble.over(BUILDING)
  const fresh = missing.filter((one) => !underWay.has(keyOf(one)))
  for (const one of fresh) begin(building, one)
  return missing.length === limit && fresh.length > 0 ? 0 : undefined
}

function keyOf({ jobId, type, payload }: MissingBody): string {
  return `${jobId} ${type} ${payload}`
}

function begin(building: Building, missing: MissingBody): void {
  const { underWay, trouble, stopping } = building
  const key = keyOf(missing)
  const work = build(building, missing)
    .catch((error: unknown) => {
      complain(building, BUILDING, error, `The body of a webhook for job ${missing.jobId} could not be built`)
      return false
    })
    .then(async (isBuilt) => {
      if (isBuilt) trouble.over(BUILDING)
      else await sleep(RETRY_PAUSE_MS, stopping)
    })
    .finally(() => underWay.delete(key))
  underWay.set(key, work)
}

/** Whether the body is stored now; if not, the job is not readable yet. */
async function build(building: Building, missing: MissingBody): Promise<boolean> {
  const { database, inSlot, stopping, onBodies, resultsUrl, mailStyle } = building
  const { type, payload, jobId } = missing
  const readItems = await building.readEndedJob(missing, jobId, stopping)
  if (readItems === null || stopping.aborted) return false
  const make = async (): Promise<void> => {
    const { job, items } = await readItems()
    await storeBody(
      database,
      missing,
      jobWebhookBody(type, payload, job, items, resultsUrl(jobId), mailStyle()),
    )
  }
  await inSlot(make, { owner: missing.accountId })
  onBodies()
  return true
}

function complain({ logger, trouble }: Building, place: string, error: unknown, what: string): void {
  if (trouble.failed(place, error)) logger.warn({ err: error }, `${what}: ${String(error)}`)
}
