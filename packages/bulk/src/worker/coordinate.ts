/** The work of the holder of the lease: reads jobs and outcomes, releases screenings, announces ends. */
import { startLoop, type Loop } from '@cupel/kit/concurrency'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { readDwells, sweepDwells } from '@cupel/projections/heartbeats'
import type { Database } from '@cupel/postgres'
import { createTrouble, type Consumer, type Trouble } from '@cupel/projections'
import { createAnnounce } from './announce.js'
import type { Applied } from './apply.js'
import { createBacklog, type Backlog } from './backlog.js'
import { sweep } from './early-outcomes.js'
import { COORDINATOR_GROUP, followJobs } from './follow-jobs.js'
import { listOpenJobs, type OpenJob } from './job-table.js'
import { createPace, PACE_INTERVAL_MS, type Pace } from './pace.js'
import { createRelease } from './release.js'
import { createFence, type Fence, type Lease } from './lease-table.js'
import { isQuietJob } from './quiet-jobs.js'

export interface CoordinationOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Begins the work of other features that screen by quiet jobs. */
  readonly beginOthers: (parts: OtherWork) => readonly Loop[]
  /** Work has begun. */
  readonly onStarted: () => void
  /** Called for a failure that only a restart repairs. */
  readonly fail: (reason: string, error: unknown) => void
}

/** What other features get from the holder of the lease. */
export interface OtherWork {
  readonly fence: Fence
  readonly trouble: Trouble
  /** Jobs whose screenings may be released now. */
  readonly onOpened: (jobs: readonly OpenJob[]) => void
}

export interface Coordination {
  /** Runs until the signal is aborted, the lease is lost, or the backlog may differ from the stored rows; then call it again. */
  work(signal: AbortSignal, lease: Lease): Promise<void>
  /** Why work waits and is retried; null if nothing is wrong. */
  problem(): string | null
}

const SWEEP_INTERVAL_MS = 60_000
/** Ends that a crash or an earlier holder left are found within this time. */
const LEFTOVERS_INTERVAL_MS = 5_000

export function createCoordination(options: CoordinationOptions): Coordination {
  const trouble = createTrouble()
  let consumers: readonly Consumer[] = []
  return {
    async work(signal, lease) {
      const work = await startWork(options, lease, trouble)
      consumers = work.consumers
      options.onStarted()
      try {
        await aborted(AbortSignal.any([signal, work.isBroken]))
      } finally {
        await work.stop()
        consumers = []
        // Work that failed begins again, and its trouble remains. An instance that stands by has no trouble.
        if (signal.aborted) trouble.keepOnly(new Set())
      }
    },
    problem: () => consumers.reduce<string | null>((found, one) => found ?? one.problem(), trouble.reason()),
  }
}

interface Work {
  readonly consumers: readonly Consumer[]
  /** Aborted where the backlog may differ from the stored rows. */
  readonly isBroken: AbortSignal
  stop(): Promise<void>
}

/** The objects that the parts of the work share. */
interface Parts {
  readonly options: CoordinationOptions
  readonly fence: Fence
  readonly trouble: Trouble
  readonly backlog: Backlog
  readonly pace: Pace
  readonly release: Loop
}

async function startWork(options: CoordinationOptions, lease: Lease, trouble: Trouble): Promise<Work> {
  const { log, codec, database, logger, metrics, tracing } = options
  const broken = new AbortController()
  const fence = createFence(lease, () => broken.abort())
  const ended = metrics.counter('bulk_jobs_ended_total', 'Bulk jobs that ended')
  const backlog = createBacklog(({ jobId }) => {
    if (!isQuietJob(jobId)) ended.inc()
  })
  backlog.add(await listOpenJobs(database))
  const pace = createPace({ metrics })
  const release = startWorkLoop(
    'release',
    createRelease({ log, codec, database, backlog, pace, fence, tracing }),
    {
      ...{ logger, trouble },
      onError: () => broken.abort(),
    },
  )
  const announce = startWorkLoop('announce', createAnnounce({ log, codec, database, fence }), {
    // The learner wakes it.
    ...{ logger, trouble, restMs: LEFTOVERS_INTERVAL_MS },
  })
  const parts = { options, fence, trouble, backlog, pace, release }
  const learn = createLearner(parts, announce)
  const onStopped = (error: Error): void => options.fail('The bulk coordinator has stopped reading', error)
  const consumers = [
    followJobs({ log, codec, database, logger, metrics, fence, onApplied: learn, onStopped }),
  ]
  const loops = [startPacing(parts), ...startOthers(parts)]
  return {
    consumers,
    isBroken: broken.signal,
    async stop() {
      await Promise.all([...consumers, ...loops].map((one) => one.stop()))
      await Promise.all([release.stop(), announce.stop()])
    },
  }
}

/** The work of other features, and the deletion of old rows. */
function startOthers({ options, fence, trouble, backlog, release }: Parts): Loop[] {
  const { database, logger, beginOthers } = options
  const others = beginOthers({
    ...{ fence, trouble },
    onOpened(jobs) {
      backlog.add(jobs)
      release.wake()
    },
  })
  const sweeping = startLoop({
    async step() {
      await sweep(database)
      await sweepDwells(database)
    },
    restMs: SWEEP_INTERVAL_MS,
    firstAfterMs: SWEEP_INTERVAL_MS,
    onError: (error) => logger.warn({ err: error }, 'Old rows of bulk jobs could not be deleted'),
  })
  return [...others, sweeping]
}

/**
 * Repeats the work at once while it returns more than 0, otherwise when woken or after the rest. Failed work is repeated after a period of
 * the pace.
 */
function startWorkLoop(
  name: string,
  work: () => Promise<number>,
  {
    logger,
    trouble,
    restMs = PACE_INTERVAL_MS,
    onError,
  }: {
    readonly logger: Logger
    readonly trouble: Trouble
    readonly restMs?: number
    readonly onError?: () => void
  },
): Loop {
  return startLoop({
    async step() {
      const done = await work()
      trouble.over(name)
      return done > 0 ? 0 : undefined
    },
    restMs,
    onError(error) {
      if (trouble.failed(name, error))
        logger.warn({ err: error, group: COORDINATOR_GROUP }, `Bulk jobs wait: ${String(error)}`)
      onError?.()
      return PACE_INTERVAL_MS
    },
  })
}

/** Returns a function that tells backlog and pace what was committed, and wakes the loops. */
function createLearner(
  { options: { logger, metrics }, backlog, pace, release }: Parts,
  announce: Loop,
): (applied: Applied) => void {
  const openJobs = metrics.gauge('bulk_open_jobs', 'Bulk jobs that have not ended')
  return (applied) => {
    backlog.add(applied.opened)
    for (const { jobId, ...change } of applied.changed) backlog.changed(jobId, change)
    pace.ended(applied.endedReportIds)
    for (const { jobId, cause } of applied.refused) logger.error({ jobId, cause }, 'A bulk job cannot run')
    openJobs.set(backlog.size())
    release.wake()
    if (applied.changed.some(({ hasEnded }) => hasEnded)) announce.wake()
  }
}

function startPacing({ options: { database, metrics, logger }, trouble, backlog, pace }: Parts): Loop {
  const waiting = metrics.gauge('bulk_waiting_items', 'Screenings of bulk jobs not yet released')
  const underWay = metrics.gauge('bulk_under_way_items', 'Screenings of bulk jobs released and not ended')
  const dwells = readDwells(database)
  return startLoop({
    async step() {
      waiting.set(backlog.waiting())
      underWay.set(backlog.underWay())
      // Without work the window matters to nobody, and later nobody asks how long screens waited now.
      if (backlog.size() === 0) return dwells.forget()
      pace.adapt(await dwells.look())
      trouble.over('pace')
    },
    restMs: PACE_INTERVAL_MS,
    firstAfterMs: PACE_INTERVAL_MS,
    onError(error) {
      if (trouble.failed('pace', error))
        logger.warn({ err: error }, `The pace of bulk jobs stays: ${String(error)}`)
    },
  })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
