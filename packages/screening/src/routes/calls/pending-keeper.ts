/** Deletes pending screens once their report can be read; until then a reader gets 503 `screening_pending`. */
import { forgetPendingScreens, listPendingScreens, type PendingScreen } from '@cupel/gate/access'
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'

export interface PendingKeeperOptions {
  readonly database: Database
  readonly logger: Logger
  /** Whether readers find the report, or the failure, of this screening. */
  readonly hasEnded: (screen: PendingScreen) => Promise<boolean>
}

const SWEEP_INTERVAL_MS = 2_000
/** Ids per sweep. */
const SWEEP_LIMIT = 100
/** A screening without an end after this time will have none. */
const KEEP_MS = 7 * 24 * 3_600_000

export function createPendingKeeper(options: PendingKeeperOptions): { stop(): Promise<void> } {
  const { database, logger } = options
  const sweep = async (): Promise<void> => {
    const reportIds: string[] = []
    for (const screen of await listPendingScreens(database, SWEEP_LIMIT))
      if (await options.hasEnded(screen)) reportIds.push(screen.reportId)
    await forgetPendingScreens(database, { reportIds, keepMs: KEEP_MS })
  }
  return startLoop({
    step: sweep,
    restMs: SWEEP_INTERVAL_MS,
    firstAfterMs: SWEEP_INTERVAL_MS,
    onError: (error) =>
      logger.warn({ err: error }, 'Pending screens could not be swept; the next sweep tries again'),
  })
}
