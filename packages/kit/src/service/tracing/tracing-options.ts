/** The input and output of opening tracing. */
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { Config } from '../config.js'

export type CollectorConfig = Pick<
  Config,
  | 'CUPEL_INSTANCE'
  | 'CUPEL_OTLP_INSECURE'
  | 'OTEL_EXPORTER_OTLP_CERTIFICATE'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_EXPORTER_OTLP_TIMEOUT'
  | 'OTEL_RESOURCE_ATTRIBUTES'
  | 'OTEL_SDK_DISABLED'
>

export type TraceConfig = CollectorConfig &
  Pick<
    Config,
    | 'CUPEL_TRACE_SLOW_MS'
    | 'OTEL_BSP_MAX_QUEUE_SIZE'
    | 'OTEL_BSP_SCHEDULE_DELAY'
    | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
    | 'OTEL_TRACES_EXPORTER'
    | 'OTEL_TRACES_SAMPLER'
    | 'OTEL_TRACES_SAMPLER_ARG'
  >

export interface TracingOptions {
  /** Name of the service, as in its folder. */
  readonly service: string
  readonly config: TraceConfig
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface OpenTracing {
  /** Null if no traces are made. */
  readonly tracing: Tracing | null
  /** Sends the waiting spans, for a limited time. */
  close(): Promise<void>
}

export type TraceCounters = ReturnType<typeof traceCounters>

/** These metrics exist without traces too, for the alerts that name them. */
export function traceCounters(metrics: Metrics) {
  return {
    exported: metrics.counter('trace_spans_exported_total', 'Spans that the trace collector took.'),
    dropped: metrics.counter(
      'trace_spans_dropped_total',
      'Spans that did not reach the trace collector, by reason.',
      ['reason'],
    ),
    kept: metrics.counter(
      'traces_kept_total',
      'Parts of traces that one process kept, by reason: sampled, failed or slow.',
      ['reason'],
    ),
    passedOver: metrics.counter(
      'traces_passed_over_total',
      'Slow or failed parts of traces that were not kept, because many were.',
    ),
  }
}
