/** Appends as operators see them: the same instruments as on Kafka, with a topic's lane as the lane. */
import type { Metrics } from '@cupel/contracts'

const APPEND_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const WRITE_RECORDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000]

export function appendMetrics(metrics: Metrics) {
  const seconds = metrics.histogram(
    'log_append_seconds',
    'Time from an append to its acknowledgement.',
    APPEND_SECONDS,
    ['lane'],
  )
  const records = metrics.histogram(
    'log_produce_request_records',
    'Records that travelled in one produce request.',
    WRITE_RECORDS,
    ['lane'],
  )
  const failures = metrics.counter('log_append_failures_total', 'Appends that were rejected.', [
    'lane',
    'error',
  ])
  return {
    acknowledged: (lane: string, durationMs: number) => seconds.observe(durationMs / 1_000, { lane }),
    written: (lane: string, count: number) => records.observe(count, { lane }),
    failed(lane: string, error: unknown): never {
      failures.inc({ lane, error: error instanceof Error ? error.name : 'unknown' })
      throw error
    },
  }
}
