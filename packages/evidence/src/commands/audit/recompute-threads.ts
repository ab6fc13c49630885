/** Threads that decide partitions beside one another. */
import type { RangeDecider, RangeQuestion, RangeTally, ReportRange } from '../../proofs/index.js'
import type { CliContext } from '@cupel/command-line'
import { startOrderThreads, type OrderThread } from './order-threads.js'
import type { ThreadSource } from './recompute-messages.js'

export interface RecomputeThreads {
  /** Starts as many threads as these partitions are worth; undefined if this thread decides alone. */
  readonly decidersFor: (ranges: readonly ReportRange[]) => readonly RangeDecider[] | undefined
  /** Ends the threads. */
  close(): Promise<void>
}

export function prepareThreads(
  context: CliContext,
  of: { readonly source: ThreadSource; readonly question: RangeQuestion },
  { threads: asked }: { readonly threads?: number | undefined },
): RecomputeThreads {
  const threads: OrderThread<ReportRange, RangeTally>[] = []
  return {
    decidersFor(ranges) {
      const worthwhile = ranges.filter(({ from, to }) => to > from)
      const records = worthwhile.reduce((sum, { from, to }) => sum + to - from, 0)
      const data = { environment: { ...context.environment }, ...of }
      const size = { asked, records, most: worthwhile.length }
      threads.push(...startOrderThreads<ReportRange, RangeTally>('recompute-worker', data, size))
      return threads.length === 0 ? undefined : threads.map(({ run }) => ({ decide: run }))
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
