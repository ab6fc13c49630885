/** Puts together the parts of the API that screens need: report ids, pending screens, the tail that settles them, and reads. */
import {
  createReportIds,
  isPendingScreen,
  notePendingScreens,
  type NameReports,
  type ReportIds,
  type TakeReportNumbers,
} from '@cupel/gate/access'
import { reportPartitionOfLane, type Logger, type Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { readModelGroup, waitUntilProjected } from '@cupel/projections'
import { documentReader, getReport, reportView, type FindRetirement } from '@cupel/reports/read-model'
import { createAsOfScreens, type AsOfScreens } from './as-of-screens.js'
import { createAwaitReport } from './await-report.js'
import { createLateNotes } from './late-notes.js'
import { WAIT_SHARE } from './overload.js'
import { createPendingKeeper } from './pending-keeper.js'
import { createPendingTable, type PendingTable } from './pending-table.js'
import { historyProgress } from '@cupel/ledger'
import {
  type ReadHistoryProgress,
  createExplainReports,
  type ExplainReports,
  createReportReader,
  type ReportReader,
} from '@cupel/reports/routes'
import { followReports } from './report-tail.js'
import { createScreens, type Screens } from './screens.js'
import { createTransferReads, type TransferReads } from './transfer-reads.js'

export interface Screening {
  readonly screens: Screens
  readonly reports: ReportReader
  readonly reportIds: ReportIds
  readonly asOfScreens: AsOfScreens
  readonly transferReads: TransferReads
  readonly readHistoryProgress: ReadHistoryProgress
  readonly explainReports: ExplainReports
  readonly now: () => Date
  /** The partition of the report topic that this instance follows. */
  readonly partition: number
  /** Whether this instance would see the report of a screen that it accepts now. */
  isReady(): boolean
  /** Resolves when no screen is pending. */
  drained(): Promise<void>
  stop(): Promise<void>
}

export interface OpenScreeningOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly instance: number
  readonly deadlineMs: number
  /** How long a read waits for the read model. */
  readonly readWaitMs: number
  readonly now: () => Date
  readonly takeNumbers: TakeReportNumbers
  readonly nameReports: NameReports
  readonly reportUrlOf: (reportId: string) => string
  readonly findRetirement: FindRetirement | undefined
  /** The tail ended for good; only a restart repairs it. */
  readonly onTailLost: (error: unknown) => void
}

/** Resolves once reports are followed. */
export async function openScreening(options: OpenScreeningOptions): Promise<Screening> {
  const { log, codec, database, logger, metrics, deadlineMs } = options
  const partition = reportPartitionOfLane('interactive', options.instance)
  let isTailLost = false
  const notes = createLateNotes({ store: (screens) => notePendingScreens(database, screens), logger })
  const pending = createPendingTable({ deadlineMs, note: notes.note })
  const tail = await followReports({
    ...{ log, codec, partition, pending, logger, metrics },
    onStopped(error) {
      isTailLost = true
      options.onTailLost(error)
    },
  })
  const reportIds = createReportIds({
    take: options.takeNumbers,
    idsOf: (first, count) => options.nameReports(first, count, () => partition),
  })
  const reports = openReports(options)
  const isFollowed = withPatience(tail.isReady, deadlineMs * WAIT_SHARE)
  const isReady = (): boolean => !isTailLost && isFollowed()
  const screens = createScreens({
    ...{ log, codec, pending, reportIds, isReady, deadlineMs, metrics, now: options.now },
    reportUrlOf: options.reportUrlOf,
    awaitElsewhere: createAwaitReport({ reports, notes, logger }),
  })
  const asOfScreens = createAsOfScreens(options)
  const transferReads = createTransferReads(options)
  const keeper = createPendingKeeper({
    database,
    logger,
    hasEnded: async ({ accountId, livemode, reportId }) =>
      (await getReport(database, { accountId, livemode, reportId })) !== null,
  })
  const gauges = watchGauges(metrics, pending, isFollowed)
  return {
    ...{ screens, reports, reportIds, asOfScreens, transferReads, partition, isReady, now: options.now },
    explainReports: createExplainReports(options),
    readHistoryProgress: (place, since) => historyProgress(database, place, since),
    drained: () => pending.drained(),
    async stop() {
      clearInterval(gauges)
      await keeper.stop()
      await tail.stop()
      pending.close()
      await notes.stop()
    },
  }
}

function openReports({
  log,
  codec,
  database,
  findRetirement,
  readWaitMs: waitMs,
  logger,
  metrics,
}: OpenScreeningOptions): ReportReader {
  return createReportReader({
    ...{ log, waitMs, readDocuments: documentReader({ log, codec, findRetirement, logger, metrics }) },
    read: ({ accountId, livemode }, reportId) => getReport(database, { accountId, livemode, reportId }),
    waitUntilProjected: (position, timeoutMs) =>
      waitUntilProjected({ database, group: readModelGroup(reportView), ...position, timeoutMs }),
    isPending: ({ accountId, livemode }, reportId) =>
      isPendingScreen(database, { accountId, livemode, reportId }),
  })
}

/**
 * Whether it is ready, or was within `patienceMs`. A tail whose broker died goes on at the next leader where it was, and delivers what was
 * appended meanwhile: a screen that waits for it is answered, and one that is refused is not. It is called again and again, so that it
 * knows when it was ready.
 */
export function withPatience(
  isReady: () => boolean,
  patienceMs: number,
  now: () => number = () => performance.now(),
): () => boolean {
  let readyAtMs = now()
  return () => {
    if (isReady()) readyAtMs = now()
    return now() - readyAtMs < patienceMs
  }
}

const GAUGE_INTERVAL_MS = 1_000

function watchGauges(
  metrics: Metrics,
  pending: Pick<PendingTable, 'size' | 'oldestAgeMs'>,
  isFollowed: () => boolean,
): NodeJS.Timeout {
  const size = metrics.gauge('api_pending_screens', 'Screens waited for.')
  const age = metrics.gauge('api_oldest_pending_seconds', 'Age of the oldest screen waited for.')
  const timer = setInterval(() => {
    size.set(pending.size())
    age.set(pending.oldestAgeMs() / 1000)
    isFollowed()
  }, GAUGE_INTERVAL_MS)
  return timer.unref()
}
