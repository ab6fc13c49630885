/** Deletes Idempotency-Keys whose time is over. Every instance does; rows another one holds are left to it. */
import { forgetOldReservations } from '@cupel/access'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'

const SWEEP_INTERVAL_MS = 60_000

export function createReservationKeeper({ database, logger }: { database: Database; logger: Logger }): {
  stop(): Promise<void>
} {
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = async (): Promise<void> => {
    try {
      // One statement deletes a bounded number; what is left goes at once.
      while ((await forgetOldReservations(database)) > 0);
    } catch (error) {
      logger.warn({ err: error }, 'Old Idempotency-Keys could not be deleted; trying again')
    }
  }
  const timer = setInterval(() => (sweeping = sweeping.then(sweep)), SWEEP_INTERVAL_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await sweeping
    },
  }
}
