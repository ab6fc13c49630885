/** The work of the lease holder: reads jobs and outcomes, releases screenings, announces ends. */
import { startLoop, type Loop } from '@cupel/concurrency'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createTrouble, type Consumer, type Trouble } from '@cupel/projections'
import { createAnnounce } from './announce.js'
import type { Applied } from './apply.js'
import { createBacklog, type Backlog } from './backlog.js'
import { sweep } from './early-outcomes.js'
import { COORDINATOR_GROUP, followJobs } from './follow-jobs.js'
import { followWatches } from './follow-watches.js'
import { watchInteractiveDwell } from './interactive-dwell.js'
import { listOpenJobs } from './job-table.js'
import { createPace, PACE_INTERVAL_MS, type Pace } from './pace.js'
import { createRelease } from './release.js'
import { isWatchJob } from './watch-jobs.js'

export interface CoordinationOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  readonly dwellTargetMs: number
  /** Hour of the day, UTC, at which the digest of watches ends. */
  readonly digestHour: number
  /** Work has begun. */
  readonly onStarted: () => void
  /** Called where only a restart leads back. */
  readonly fail: (reason: string, error: unknown) => void
}

export interface Coordination {
  /** Runs until the signal is aborted, or until the backlog may differ from the stored rows; then call it again. */
  work(signal: AbortSignal): Promise<void>
  /** Why work waits and is tried again; null where nothing is wrong. */
  problem(): string | null
}

const SWEEP_INTERVAL_MS = 60_000

export function createCoordination(options: CoordinationOptions): Coordination {
  const trouble = createTrouble()
  let consumers: readonly Consumer[] = []
  return {
    async work(signal) {
      const work = await startWork(options, trouble)
      consumers = work.consumers
      options.onStarted()
      try {
        await aborted(AbortSignal.any([signal, work.isBroken]))
      } finally {
        await work.stop()
        consumers = []
        // Work that failed begins again, and its trouble remains. An instance without the lease has no trouble.
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

async function startWork(options: CoordinationOptions, trouble: Trouble): Promise<Work> {
  const { log, codec, database, logger, metrics, tracing, dwellTargetMs, digestHour } = options
  const backlog = createBacklog()
  backlog.add(await listOpenJobs(database))
  const pace = createPace({ dwellTargetMs, metrics })
  const broken = new AbortController()
  const release = startWorkLoop('release', createRelease({ log, codec, database, backlog, pace, tracing }), {
    ...{ logger, trouble },
    onError: () => broken.abort(),
  })
  const announce = startWorkLoop('announce', createAnnounce({ log, codec, database }), { logger, trouble })
  const learn = createLearner(options, { backlog, pace, release, announce })
  const onStopped = (error: Error): void => options.fail('The bulk coordinator has stopped reading', error)
  const consumers = [
    watchInteractiveDwell({ log, logger, onDwell: (dwellMs) => pace.interactive(dwellMs), onStopped }),
    followJobs({ log, codec, database, logger, metrics, onApplied: learn, onStopped }),
  ]
  const watches = followWatches({
    ...{ log, codec, database, logger, metrics, trouble, digestHour },
    onOpened(jobs) {
      backlog.add(jobs)
      release.wake()
    },
  })
  const pacing = startPacing({ backlog, pace, metrics })
  const sweeping = startLoop({
    step: () => sweep(database),
    restMs: SWEEP_INTERVAL_MS,
    firstAfterMs: SWEEP_INTERVAL_MS,
    onError: (error) => logger.warn({ err: error }, 'Old rows of bulk jobs could not be deleted'),
  })
  return {
    consumers,
    isBroken: broken.signal,
    async stop() {
      clearInterval(pacing)
      await Promise.all([...consumers, sweeping, watches].map((one) => one.stop()))
      await Promise.all([release.stop(), announce.stop()])
    },
  }
}

/** Repeats the work at once while it returns more than 0, otherwise when woken or after a period of the pace. */
function startWorkLoop(
  name: string,
  work: () => Promise<number>,
  {
    logger,
    trouble,
    onError,
  }: { readonly logger: Logger; readonly trouble: Trouble; readonly onError?: () => void },
): Loop {
  return startLoop({
    async step() {
      const done = await work()
      trouble.over(name)
      return done > 0 ? 0 : undefined
    },
    restMs: PACE_INTERVAL_MS,
    onError(error) {
      if (trouble.failed(name, error))
        logger.warn({ err: error, group: COORDINATOR_GROUP }, `Bulk jobs wait: ${String(error)}`)
      onError?.()
    },
  })
}

/** Returns a function that tells backlog and pace what was committed, and wakes the loops. */
function createLearner(
  { logger, metrics }: CoordinationOptions,
  {
    backlog,
    pace,
    release,
    announce,
  }: { readonly backlog: Backlog; readonly pace: Pace; readonly release: Loop; readonly announce: Loop },
): (applied: Applied) => void {
  const openJobs = metrics.gauge('bulk_open_jobs', 'Bulk jobs that have not ended')
  const ended = metrics.counter('bulk_jobs_ended_total', 'Bulk jobs that ended')
  return (applied) => {
    backlog.add(applied.opened)
    for (const { jobId, ...change } of applied.changed)
      if (backlog.changed(jobId, change) && !isWatchJob(jobId)) ended.inc()
    pace.ended(applied.endedReportIds)
    for (const { jobId, cause } of applied.refused) logger.error({ jobId, cause }, 'A bulk job cannot run')
    openJobs.set(backlog.size())
    release.wake()
    if (applied.changed.some(({ hasEnded }) => hasEnded)) announce.wake()
  }
}

function startPacing({
  backlog,
  pace,
  metrics,
}: {
  readonly backlog: Backlog
  readonly pace: Pace
  readonly metrics: Metrics
}): NodeJS.Timeout {
  const waiting = metrics.gauge('bulk_waiting_items', 'Screenings of bulk jobs not yet released')
  const underWay = metrics.gauge('bulk_under_way_items', 'Screenings of bulk jobs released and not ended')
  return setInterval(() => {
    pace.adapt()
    waiting.set(backlog.waiting())
    underWay.set(backlog.underWay())
  }, PACE_INTERVAL_MS)
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
