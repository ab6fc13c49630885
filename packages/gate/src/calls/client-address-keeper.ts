/** Ends the retention of client addresses: destroys the keys of months that are over. Every instance does so; each month is told once. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { endRetention } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'

const SWEEP_INTERVAL_MS = 3_600_000
/** Soon after the start, so that an installation that is restarted every day keeps its retention too. */
const FIRST_SWEEP_MS = 10_000

export interface ClientAddressKeeperOptions {
  readonly database: Database
  readonly logger: Logger
  /** Days after the end of a month; 0: client addresses stay for ever. */
  readonly retentionDays: number
  readonly firstAfterMs?: number | undefined
  /** Between two sweeps, in place of an hour. */
  readonly intervalMs?: number | undefined
  /** In place of the clock of the database. */
  readonly now?: (() => Date) | undefined
}

export function createClientAddressKeeper(options: ClientAddressKeeperOptions): { stop(): Promise<void> } {
  const { database, logger, retentionDays, now } = options
  const { firstAfterMs = FIRST_SWEEP_MS, intervalMs = SWEEP_INTERVAL_MS } = options
  if (retentionDays === 0) return { stop: () => Promise.resolve() }
  return startLoop({
    step: async () => {
      const months = await endRetention(database, { days: retentionDays, by: 'cupel/api', now: now?.() })
      if (months.length > 0) logger.info({ months }, 'The client addresses of these months are erased')
      return intervalMs
    },
    restMs: intervalMs,
    firstAfterMs,
    onError: (error) =>
      logger.warn(
        { err: error },
        'Client addresses whose retention is over could not be erased; the next sweep tries again',
      ),
  })
}
