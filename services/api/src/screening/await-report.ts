/**
 * Polls for a report that the tail of this instance does not see. A call that continues an earlier attempt under its
 * Idempotency-Key has the report id of that attempt, and the id may name the partition of another instance.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { notePendingScreens, type Caller } from '@cupel/access'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import type { ScreenOutcome } from './pending-table.js'
import type { ReportReader } from './report-reader.js'

/** Time between two reads; each read waits for the projection too. */
const LOOK_INTERVAL_MS = 50

export interface AwaitReportOptions {
  readonly reports: ReportReader
  readonly database: Database
  readonly deadlineMs: number
  readonly logger: Logger
}

/** Never rejects. */
export function createAwaitReport(
  options: AwaitReportOptions,
): (caller: Caller, reportId: string) => Promise<ScreenOutcome> {
  const look = async (caller: Caller, reportId: string): Promise<ScreenOutcome | null> => {
    const found = await options.reports.find(caller, reportId)
    if (found.kind === 'report') return found
    return found.kind === 'failed' ? { kind: 'failed', code: 'screening_failed' } : null
  }
  const awaitUntil = async (caller: Caller, reportId: string, untilMs: number): Promise<ScreenOutcome> => {
    while (performance.now() < untilMs) {
      const outcome = await look(caller, reportId)
      if (outcome !== null) return outcome
      await sleep(LOOK_INTERVAL_MS)
    }
    const { accountId, livemode } = caller
    await notePendingScreens(options.database, [{ reportId, accountId, livemode }])
    return { kind: 'late' }
  }
  return async (caller, reportId) => {
    try {
      return await awaitUntil(caller, reportId, performance.now() + options.deadlineMs)
    } catch (error) {
      options.logger.warn({ err: error, reportId }, 'A resumed screen could not be waited for')
      return { kind: 'lost' }
    }
  }
}
