/**
 * Reads a report by its id. A caller that was given an id never gets "unknown" for it: if the read model has no row, the read
 * waits until the read model has passed the end that the id's partition had when the call arrived, and reads again
 * (docs/adr/0072).
 */
import { withinMs } from '@cupel/kit/concurrency'
import { reportPartition, topicOf } from '@cupel/contracts'
import { LogUnavailableError, type EventLog, type Position } from '@cupel/event-log'
import { documentsOf, type ReadDocuments, type ReportOwner, type StoredReport } from '../read-model/index.js'

export type FoundReport =
  | { readonly kind: 'report'; readonly document: string }
  /** Its screening is running. */
  | { readonly kind: 'pending' }
  /** Its screening ended without a report; `detail` is a sentence. */
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string }
  /** No report has this id, or the report belongs to another account or environment. */
  | { readonly kind: 'unknown' }
  /** The read model did not catch up in time, so whether the report exists is not known. */
  | { readonly kind: 'behind' }

export interface ReportReader {
  /** `waitMs`: where it is given, the longest wait of this read. */
  find(owner: ReportOwner, reportId: string, waitMs?: number): Promise<FoundReport>
}

export interface ReportReaderOptions {
  readonly log: EventLog
  /** The stored outcome of a screening of this account and environment; null if there is none. */
  readonly read: (owner: ReportOwner, reportId: string) => Promise<StoredReport | null>
  /** Whether the read model of reports has passed `position` before the time ran out. */
  readonly waitUntilProjected: (position: Position, timeoutMs: number) => Promise<boolean>
  /** Reads what is not in the row. */
  readonly readDocuments: ReadDocuments
  readonly isPending: (owner: ReportOwner, reportId: string) => Promise<boolean>
  /** Longest wait for the read model; after it the caller gets 503 and may retry. */
  readonly waitMs: number
}

/**
 * Longest wait for the read model under an Idempotency-Key. It is shorter than the lease of the work that the key names, so that no
 * second repeat takes the work meanwhile.
 */
export const REPLAY_WAIT_MS = 2_000

export function createReportReader(options: ReportReaderOptions): ReportReader {
  const catchUp = async (livemode: boolean, partition: number, waitMs: number): Promise<boolean> => {
    const topic = topicOf('ReportGenerated', livemode)
    try {
      const offset = await options.log.endOffset(topic, partition)
      return await options.waitUntilProjected({ topic, partition, offset }, waitMs)
    } catch (error) {
      if (error instanceof LogUnavailableError) return false
      throw error
    }
  }
  const foundOf = async (owner: ReportOwner, stored: StoredReport): Promise<FoundReport> => {
    if (stored.state === 'failed') return { kind: 'failed', code: stored.code, detail: stored.detail }
    const [document] = await documentsOf(options.readDocuments, owner, [stored.document])
    return { kind: 'report', document: document! }
  }
  return {
    async find(owner, reportId, waitMs = options.waitMs) {
      const stored = await options.read(owner, reportId)
      if (stored !== null) return await foundOf(owner, stored)
      // A broker that hangs must not hold the call.
      const caughtUp = catchUp(owner.livemode, reportPartition(reportId), waitMs)
      const isCurrent = (await withinMs(waitMs, caughtUp)) === true
      // Read before the second look, so that the second look finds a screening that ends between the two.
      const isPending = await options.isPending(owner, reportId)
      const again = await options.read(owner, reportId)
      if (again !== null) return await foundOf(owner, again)
      if (isPending) return { kind: 'pending' }
      return { kind: isCurrent ? 'unknown' : 'behind' }
    },
  }
}
