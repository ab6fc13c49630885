/** Deletes Idempotency-Keys that have expired. Every instance does so; each skips the rows another one is deleting. */
import { forgetOldReservations } from '../access/index.js'
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'

const SWEEP_INTERVAL_MS = 60_000

export function createReservationKeeper({ database, logger }: { database: Database; logger: Logger }): {
  stop(): Promise<void>
} {
  return startLoop({
    // One statement deletes a bounded number; the next one follows at once while rows are left.
    step: async () => ((await forgetOldReservations(database)) > 0 ? 0 : SWEEP_INTERVAL_MS),
    restMs: SWEEP_INTERVAL_MS,
    firstAfterMs: SWEEP_INTERVAL_MS,
    onError: (error) =>
      logger.warn(
        { err: error },
        'Expired Idempotency-Keys could not be deleted; the next sweep tries again',
      ),
  })
}
