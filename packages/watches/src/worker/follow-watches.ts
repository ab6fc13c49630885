/**
 * Marks the watches that a change of labels, ledger, policy or scorer can touch, screens them on the bulk lane, and tells their
 * accounts what changed. Every step is one transaction that a crash undoes as a whole, and runs under the lease.
 */
import {
  claimReportEpoch,
  createReportIds,
  createReportNames,
  loadInstallationSecrets,
  openReportNumbers,
  type ReportIds,
} from '@cupel/gate/access'
import { startLoop, type Loop } from '@cupel/kit/concurrency'
import { reportPartitionOfLane, type Logger, type Metrics } from '@cupel/contracts'
import { CURRENT_SCORER_VERSION } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { Trouble } from '@cupel/projections'
import {
  goOnWithFullPass,
  listDueWatches,
  lookAtWatches,
  lookForNews,
  markPending,
  settleWatches,
  sweepBatches,
  writeDigests,
} from '../index.js'
import { insertJobs, insertUnits, type OpenJob, type Fence } from '@cupel/bulk/worker'
import { createSplitChanges } from './split-changes.js'
import { findTouched } from './touched-watches.js'
import { watchJobsOf, type WatchScreening } from './watch-jobs.js'

export interface FollowWatchesOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly trouble: Trouble
  readonly fence: Fence
  /** The digest ends at this hour of the day, UTC. */
  readonly config: { readonly CUPEL_WATCH_DIGEST_HOUR: number }
  /** Jobs whose screenings may be released now. */
  readonly onOpened: (jobs: readonly OpenJob[]) => void
}

/** A new state of labels, ledger or policy is seen within this time. */
const LOOK_INTERVAL_MS = 1_000
/** The same while watched addresses are decided, and so is a report. */
const BUSY_LOOK_INTERVAL_MS = 250
/** Decisions that were begun end within this time, as a rule. */
const BUSY_MS = 5_000
/** Watches of one account that begin in one step. */
const MAX_BEGUN = 1_000
/** Reports settled in one transaction. */
const MAX_SETTLED = 500
const SWEEP_INTERVAL_MS = 3_600_000
/** A digest that is due is seen within this time. */
const DIGEST_INTERVAL_MS = 60_000
/** Between two steps of the pass through all watches. */
const PASS_INTERVAL_MS = 60_000

export function followWatches(options: FollowWatchesOptions): Loop {
  const { database, logger, metrics, trouble, config } = options
  const marked = metrics.counter(
    'watches_marked_total',
    'Watches that a change can touch, marked to be decided again',
  )
  const decided = metrics.counter('watches_decided_total', 'Decisions of watched addresses')
  const changed = metrics.counter(
    'watches_changed_total',
    'Decisions of watched addresses that were a change',
  )
  const begin = createBegin(options)
  const splitChanges = createSplitChanges(options)
  const passed = metrics.gauge(
    'watches_full_pass_timestamp_seconds',
    'When the last pass ended that decides every watched address again, in seconds since 1970',
  )
  const digested = metrics.counter('watches_digests_total', 'Daily digests of watches')
  let busyAt = -Infinity
  let sweptAt = -Infinity
  let digestedAt = -Infinity
  let passedAt = -Infinity
  return startLoop({
    async step() {
      const { hasNews, hasDue, hasEnded } = await lookAtWatches(database, CURRENT_SCORER_VERSION)
      if (hasNews) marked.inc({}, (await lookForNews(database, CURRENT_SCORER_VERSION, findTouched)) ?? 0)
      // News makes watches due.
      const begun = hasNews || hasDue ? await begin() : 0
      const settled = hasEnded
        ? await settleWatches(database, { limit: MAX_SETTLED, splitChanges })
        : { settled: 0, changed: 0 }
      decided.inc({}, settled.settled)
      changed.inc({}, settled.changed)
      if (performance.now() - sweptAt > SWEEP_INTERVAL_MS) {
        await sweepBatches(database)
        sweptAt = performance.now()
      }
      if (performance.now() - digestedAt > DIGEST_INTERVAL_MS) {
        digested.inc({}, await writeDigests(database, { hour: config.CUPEL_WATCH_DIGEST_HOUR }))
        digestedAt = performance.now()
      }
      if (performance.now() - passedAt > PASS_INTERVAL_MS) {
        passed.set(await goOnWithFullPass(database, PASS_INTERVAL_MS))
        passedAt = performance.now()
      }
      trouble.over(PLACE)
      if (begun >= MAX_BEGUN || settled.settled === MAX_SETTLED) return 0
      if (begun > 0 || settled.settled > 0) busyAt = performance.now()
      return performance.now() - busyAt < BUSY_MS ? BUSY_LOOK_INTERVAL_MS : LOOK_INTERVAL_MS
    },
    restMs: LOOK_INTERVAL_MS,
    onError(error) {
      if (trouble.failed(PLACE, error)) logger.warn({ err: error }, `Watches wait: ${String(error)}`)
    },
  })
}

const PLACE = 'watches'

/** Returns a function that begins the screenings of due watches, and resolves to how many. */
function createBegin({ log, codec, database, fence, onOpened }: FollowWatchesOptions): () => Promise<number> {
  let opening: Promise<ReportIds> | null = null
  const reportIds = async (): Promise<ReportIds> => {
    opening ??= openReportIds({ log, codec, database })
    // The next step tries again.
    opening.catch(() => (opening = null))
    return await opening
  }
  return async () => {
    const due = await listDueWatches(database, MAX_BEGUN)
    if (due.length === 0) return 0
    const ids = await reportIds()
    const screenings: WatchScreening[] = []
    for (const watch of due) screenings.push({ watch, reportId: await ids.next() })
    const opened = await database.transaction({ at: 'watches.begun' }, async (transaction) => {
      await fence(transaction)
      const taken = await markPending(
        transaction,
        screenings.map(({ watch, reportId }) => ({ watchId: watch.watchId, reportId })),
      )
      const jobs = watchJobsOf(
        screenings.filter(({ watch }) => taken.has(watch.watchId)),
        new Date().toISOString(),
      )
      await insertJobs(transaction, jobs)
      await insertUnits(
        transaction,
        jobs.flatMap(({ units }) => units),
      )
      return jobs.map(({ job }) => job)
    })
    onOpened(opened)
    return due.length
  }
}

/** Report ids of an epoch that only this process has. Without watches no epoch is claimed. */
async function openReportIds({
  log,
  codec,
  database,
}: Pick<FollowWatchesOptions, 'log' | 'codec' | 'database'>): Promise<ReportIds> {
  const { reportIdKey } = await loadInstallationSecrets(database)
  const nameReports = createReportNames(reportIdKey)
  return createReportIds({
    take: await openReportNumbers(() =>
      claimReportEpoch({ database, log, codec }, { instance: 0, nowMs: Date.now() }),
    ),
    idsOf: (first, count) => nameReports(first, count, (number) => reportPartitionOfLane('bulk', number)),
  })
}
