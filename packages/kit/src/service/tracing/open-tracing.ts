/** Opens the traces of a process. Without a collector in the settings there are no traces, and no tracing code is loaded. */
import type { Logger } from '@cupel/contracts'
import { requireVerifiedPeers, urlPeer } from '../peer-security.js'
import {
  traceCounters,
  type CollectorConfig,
  type OpenTracing,
  type TraceConfig,
  type TracingOptions,
} from './tracing-options.js'

/** Throws ConfigError if the collector is on another machine without verified TLS, or its certificates cannot be read. */
export async function openTracing(options: TracingOptions): Promise<OpenTracing> {
  const counters = traceCounters(options.metrics)
  const url = collectorUrl(options.config)
  if (url === null) return { tracing: null, close: async () => undefined }
  const setting =
    options.config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT === undefined
      ? 'OTEL_EXPORTER_OTLP_ENDPOINT'
      : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  requireVerifiedCollector(options, url, setting)
  const { startTracing } = await import('./start-tracing.js')
  return startTracing(options, url, counters)
}

/** Throws ConfigError if it is on another machine without verified TLS, and no setting allows it. */
export function requireVerifiedCollector(
  { config, logger }: { readonly config: CollectorConfig; readonly logger: Logger },
  url: string,
  setting: string,
): void {
  requireVerifiedPeers(
    [urlPeer(url, { name: 'The trace collector', setting, exception: 'CUPEL_OTLP_INSECURE' })],
    config,
    (sentence) => logger.warn({}, sentence),
  )
}

/** The URL for spans; null if no traces are made. */
export function collectorUrl(config: TraceConfig): string | null {
  if (config.OTEL_SDK_DISABLED || config.OTEL_TRACES_EXPORTER === 'none') return null
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined)
    return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  return base === undefined ? null : `${base.replace(/\/$/, '')}/v1/traces`
}
