/** The input and output of opening the export of log lines. */
import type { Metrics } from '@cupel/contracts'
import type { Config } from '../config.js'
import type { ServiceLogger } from '../logger.js'
import type { CollectorConfig } from '../tracing/tracing-options.js'

export type LogExportConfig = CollectorConfig &
  Pick<
    Config,
    | 'OTEL_BLRP_MAX_QUEUE_SIZE'
    | 'OTEL_BLRP_SCHEDULE_DELAY'
    | 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'
    | 'OTEL_LOGS_EXPORTER'
  >

export interface LogExportOptions {
  /** Name of the service, as in its folder. */
  readonly service: string
  readonly config: LogExportConfig
  readonly logger: ServiceLogger
  readonly metrics: Metrics
}

export interface LogExport {
  /** Sends the waiting lines, for a limited time. */
  close(): Promise<void>
}

export type LogExportCounters = ReturnType<typeof logExportCounters>

/** These metrics exist without a collector too, for boards that name them. */
export function logExportCounters(metrics: Metrics) {
  return {
    exported: metrics.counter('log_records_exported_total', 'Log lines that the collector took.'),
    dropped: metrics.counter(
      'log_records_dropped_total',
      'Log lines that did not reach the collector, by reason. Standard error has them.',
      ['reason'],
    ),
  }
}
