/** Traces of records on their way into a read model: one span from the read of a record to the commit of its rows. */
import { recordAttributes, type Trace, type Tracing } from '@cupel/contracts'
import type { EventLog, LogRecord } from '@cupel/event-log'
import type { ReducedRecord } from './apply.js'
import type { OutcomeBatch } from './consume/committer.js'

/** Records that are read much later, to catch up, are not part of the trace of their call. */
export const MAX_TRACED_RECORD_AGE_MS = 3_600_000

export interface RecordTraces {
  /** The same outcome. Its trace ends with the commit. */
  noted(record: LogRecord, outcome: ReducedRecord): ReducedRecord
  committed(batches: readonly OutcomeBatch<ReducedRecord>[]): void
}

export function createRecordTraces(tracing: Tracing, readModel: string, log: EventLog['kind']): RecordTraces {
  const traces = new WeakMap<ReducedRecord, Trace>()
  return {
    noted(record, outcome) {
      const isOld = Date.now() - Date.parse(record.headers['ce_time'] ?? '') > MAX_TRACED_RECORD_AGE_MS
      if (isOld || outcome.changes.length === 0) return outcome
      const own = { ...outcome }
      const trace = tracing.begin({
        name: `project ${readModel}`,
        kind: 'consumer',
        parent: record.headers['traceparent'],
        startedMs: performance.now(),
        attributes: { ...recordAttributes(log, record), 'cupel.read_model': readModel },
      })
      traces.set(own, trace)
      return own
    },
    committed(batches) {
      for (const { outcomes } of batches) for (const outcome of outcomes) traces.get(outcome)?.end()
    },
  }
}
