/** Deletes sessions that are over, and notes of ID tokens that no longer count. Every instance does so; each skips the rows another one is deleting. */
import { forgetEndedSessions, forgetSpentIdTokens } from '../access/index.js'
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'

const SWEEP_INTERVAL_MS = 300_000

export function createSessionKeeper({ database, logger }: { database: Database; logger: Logger }): {
  stop(): Promise<void>
} {
  return startLoop({
    // One statement deletes a bounded number; the next one follows at once while rows are left.
    step: async () => {
      const forgotten = (await forgetEndedSessions(database)) + (await forgetSpentIdTokens(database))
      return forgotten > 0 ? 0 : SWEEP_INTERVAL_MS
    },
    restMs: SWEEP_INTERVAL_MS,
    firstAfterMs: SWEEP_INTERVAL_MS,
    onError: (error) =>
      logger.warn({ err: error }, 'Ended sessions could not be deleted; the next sweep tries again'),
  })
}
