/**
 * Reads a report back so that nobody is ever told "unknown" about a report they were given: a miss waits until the read
 * model has passed the end of that id's partition as it was when the call came, then looks again (docs/adr/0073).
 */
import type { Caller } from '@cupel/access'
import { reportPartition, topicOf } from '@cupel/contracts'
import type { EventLog, Position } from '@cupel/event-log'
import type { StoredReport } from '@cupel/read-models'

export type FoundReport =
  | { readonly kind: 'report'; readonly document: string }
  /** Its screening is running. */
  | { readonly kind: 'pending' }
  /** Its screening ended without a report. */
  | { readonly kind: 'failed' }
  /** Nobody has it, or another account or environment has. */
  | { readonly kind: 'unknown' }
  /** The read model did not catch up in time, so that nothing can be said. */
  | { readonly kind: 'behind' }

export interface ReportReader {
  find(caller: Caller, reportId: string): Promise<FoundReport>
}

export interface ReportReaderOptions {
  readonly log: EventLog
  /** What became of a screening, for this account and environment alone; null where nothing is known of it. */
  readonly read: (caller: Caller, reportId: string) => Promise<StoredReport | null>
  /** Whether the read model of reports has passed `position` before the time ran out. */
  readonly waitUntilProjected: (position: Position, timeoutMs: number) => Promise<boolean>
  readonly isPending: (caller: Caller, reportId: string) => Promise<boolean>
}

/** Longest wait for the read model; beyond it the caller is asked to come again. */
export const READ_YOUR_WRITES_TIMEOUT_MS = 2_000

export function createReportReader(options: ReportReaderOptions): ReportReader {
  return {
    async find(caller, reportId) {
      const stored = await options.read(caller, reportId)
      if (stored !== null) return foundOf(stored)
      const topic = topicOf('ReportGenerated', caller.livemode)
      const partition = reportPartition(reportId)
      const offset = await options.log.endOffset(topic, partition)
      const isCurrent = await options.waitUntilProjected(
        { topic, partition, offset },
        READ_YOUR_WRITES_TIMEOUT_MS,
      )
      // Asked before the second look: a screening that ends in between is found there.
      const isPending = await options.isPending(caller, reportId)
      const again = await options.read(caller, reportId)
      if (again !== null) return foundOf(again)
      if (isPending) return { kind: 'pending' }
      return { kind: isCurrent ? 'unknown' : 'behind' }
    },
  }
}

function foundOf(stored: StoredReport): FoundReport {
  return stored.state === 'generated' ? { kind: 'report', document: stored.document } : { kind: 'failed' }
}
