/** Forgets handed-out ids once their screening has ended and can be read; until then a reader is told that it is running. */
import { forgetPendingScreens, listPendingScreens, type PendingScreen } from '@cupel/access'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'

export interface PendingKeeper {
  /** One round. Rejects where the database cannot be asked. */
  sweep(): Promise<void>
  stop(): Promise<void>
}

export interface PendingKeeperOptions {
  readonly database: Database
  readonly logger: Logger
  /** Whether the screening has ended, one way or the other, for those who read. */
  readonly hasEnded: (screen: PendingScreen) => Promise<boolean>
}

const SWEEP_INTERVAL_MS = 2_000
/** Ids looked at per round. */
const SWEEP_LIMIT = 100
/** A screening that did not end in this time has been given up by everyone. */
const KEEP_MS = 7 * 24 * 3_600_000

export function createPendingKeeper(options: PendingKeeperOptions): PendingKeeper {
  const { database, logger } = options
  let sweeping: Promise<void> | null = null

  const sweepOnce = async (): Promise<void> => {
    const reportIds: string[] = []
    for (const screen of await listPendingScreens(database, SWEEP_LIMIT))
      if (await options.hasEnded(screen)) reportIds.push(screen.reportId)
    await forgetPendingScreens(database, { reportIds, keepMs: KEEP_MS })
  }
  const sweep = (): Promise<void> => (sweeping ??= sweepOnce().finally(() => (sweeping = null)))
  const timer = setInterval(() => {
    sweep().catch((error: unknown) =>
      logger.warn({ err: error }, 'Pending screens could not be swept; trying again'),
    )
  }, SWEEP_INTERVAL_MS)
  timer.unref()

  return {
    sweep,
    async stop() {
      clearInterval(timer)
      // How the last round went was said where it was started.
      await sweeping?.catch(() => undefined)
    },
  }
}
