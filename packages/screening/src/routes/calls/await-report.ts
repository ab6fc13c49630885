/**
 * Polls for a report that the tail of this instance does not see. A call that continues an earlier attempt under its
 * Idempotency-Key has the report id of that attempt, and the id may name the partition of another instance.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@cupel/gate/access'
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { LateNotes } from './late-notes.js'
import { withoutReport, type ScreenInWait, type ScreenOutcome } from './pending-table.js'
import { REPLAY_WAIT_MS, type ReportReader } from '@cupel/reports/routes'

/** Time between two reads; each read waits for the projection too. */
const LOOK_INTERVAL_MS = 50

export interface AwaitReportOptions {
  readonly reports: ReportReader
  readonly notes: Pick<LateNotes, 'note'>
  readonly logger: Logger
}

/** `untilMs`: clock reading (performance.now) at which the wait for the report ends. Never rejects. */
export type AwaitReport = (caller: Caller, screen: ScreenInWait, untilMs: number) => Promise<ScreenOutcome>

export function createAwaitReport({ reports, notes, logger }: AwaitReportOptions): AwaitReport {
  const look = async (caller: Caller, reportId: string): Promise<ScreenOutcome | null> => {
    const found = await reports.find(caller, reportId, REPLAY_WAIT_MS)
    if (found.kind === 'report') return found
    return found.kind === 'failed' ? withoutReport(found) : null
  }
  return async (caller, screen, untilMs) => {
    const leftMs = (): number => untilMs - performance.now()
    try {
      while (leftMs() > 0) {
        const outcome = await withinMs(leftMs(), look(caller, screen.reportId))
        if (outcome !== null && outcome !== LATE) return outcome
        await sleep(Math.max(0, Math.min(LOOK_INTERVAL_MS, leftMs())))
      }
    } catch (error) {
      logger.warn({ err: error, reportId: screen.reportId }, 'A resumed screen could not be waited for')
    }
    return { kind: (await notes.note([screen])) ? 'late' : 'unknown' }
  }
}
