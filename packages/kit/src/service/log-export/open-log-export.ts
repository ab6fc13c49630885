/** Sends log lines to a collector, besides standard error. Off unless a setting enables it; otherwise none of its code is loaded. */
import { ConfigError } from '../config.js'
import { requireVerifiedCollector } from '../tracing/open-tracing.js'
import {
  logExportCounters,
  type LogExport,
  type LogExportConfig,
  type LogExportOptions,
} from './log-export-options.js'

/** From here on every line of the logger is also sent. Throws ConfigError if the settings name no collector that may be called. */
export async function openLogExport(options: LogExportOptions): Promise<LogExport> {
  const counters = logExportCounters(options.metrics)
  const { config } = options
  if (config.OTEL_SDK_DISABLED || config.OTEL_LOGS_EXPORTER === 'none')
    return { close: async () => undefined }
  const setting =
    config.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT === undefined
      ? 'OTEL_EXPORTER_OTLP_ENDPOINT'
      : 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'
  const url = collectorOf(config)
  requireVerifiedCollector(options, url, setting)
  const { startLogExport } = await import('./start-log-export.js')
  return startLogExport(options, url, counters)
}

function collectorOf(config: LogExportConfig): string {
  const { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: whole, OTEL_EXPORTER_OTLP_ENDPOINT: base } = config
  if (whole !== undefined) return whole
  if (base === undefined)
    throw new ConfigError(
      'OTEL_LOGS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT, the address of a collector.',
    )
  return `${base.replace(/\/$/, '')}/v1/logs`
}
