/** Metrics of appends, the same on both logs. */
import type { Metrics } from '@cupel/contracts'

/** Seconds from append to acknowledgement. */
const APPEND_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const REQUEST_RECORDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000]

export type AppendMetrics = ReturnType<typeof appendMetrics>

/** `producer` is `fast` or `ordered` on Kafka; on the embedded log each topic has a queue of its own, and its name is the label. */
export function appendMetrics(metrics: Metrics) {
  return {
    seconds: metrics.histogram(
      'log_append_seconds',
      'Time from an append to its acknowledgement.',
      APPEND_SECONDS,
      ['producer'],
    ),
    requestRecords: metrics.histogram(
      'log_produce_request_records',
      'Records in one produce request.',
      REQUEST_RECORDS,
      ['producer'],
    ),
    failures: metrics.counter('log_append_failures_total', 'Appends that were rejected.', [
      'producer',
      'error',
    ]),
  }
}
