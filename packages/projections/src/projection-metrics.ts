import type { Metrics } from '@cupel/contracts'

const BATCH_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCH_RECORDS = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000]

export interface ProjectionMetrics {
  committed(records: number, durationMs: number): void
  refused(): void
  retried(): void
  lag(records: number): void
  stopped(isStopped: boolean): void
}

export function projectionMetrics(metrics: Metrics, readModel: string): ProjectionMetrics {
  const labels = { read_model: readModel }
  const names = ['read_model']
  const records = metrics.counter('projection_records_total', 'Records applied', names)
  const batchRecords = metrics.histogram(
    'projection_batch_records',
    'Records per transaction',
    BATCH_RECORDS,
    names,
  )
  const seconds = metrics.histogram('projection_batch_seconds', 'Time per transaction', BATCH_SECONDS, names)
  const refusals = metrics.counter(
    'projection_refused_batches_total',
    'Batches refused by the checkpoint guard',
    names,
  )
  const retries = metrics.counter('projection_retries_total', 'Failures that were tried again', names)
  // A rate has no value before its series begins.
  retries.inc(labels, 0)
  const lag = metrics.gauge('projection_lag_records', 'Records appended and not yet applied', names)
  const stopped = metrics.gauge(
    'projection_stopped',
    '1 if the projection stopped and needs an operator',
    names,
  )
  return {
    committed(count, durationMs) {
      if (count === 0) return
      records.inc(labels, count)
      batchRecords.observe(count, labels)
      seconds.observe(durationMs / 1_000, labels)
    },
    refused: () => refusals.inc(labels),
    retried: () => retries.inc(labels),
    lag: (count) => lag.set(count, labels),
    stopped: (isStopped) => stopped.set(isStopped ? 1 : 0, labels),
  }
}
