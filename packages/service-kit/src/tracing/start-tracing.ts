/** Puts the parts of tracing together: sampler, traces of this process, queue, collector. Loaded only where traces are made. */
import { randomUUID } from 'node:crypto'
import type { Logger, SpanAttributes } from '@cupel/contracts'
import { ConfigError } from '../config.js'
import { createCollectorClient, type CollectorClient } from './collector-client.js'
import { createExportQueue, type DroppedBecause } from './export-queue.js'
import { createLocalTraces } from './local-trace.js'
import type { OpenTracing, TraceConfig, TraceCounters, TracingOptions } from './tracing-options.js'
import { traceRequest } from './otlp-json.js'
import { createSampler } from './sampler.js'
import { headersOf, pairsOf } from './trace-settings.js'

/** Traces a second that a process keeps because they are slow or failed: a time of trouble has many, and they are alike. */
export const MAX_KEPT_UNSAMPLED_PER_SECOND = 10
/** Pause between two log lines about dropped spans; the metric counts each of them. */
const WARN_PAUSE_MS = 60_000
const REASONS: readonly DroppedBecause[] = ['queue_full', 'unreachable', 'refused', 'shutdown']

export function startTracing(options: TracingOptions, url: string, counters: TraceCounters): OpenTracing {
  const { config, service, logger } = options
  const resource = resourceOf(config, service)
  const client = openClient(config, url)
  const warn = warnSometimes(logger)
  for (const reason of REASONS) counters.dropped.inc({ reason }, 0)
  const queue = createExportQueue({
    client,
    requestOf: (spans) => traceRequest(resource, spans),
    maxSpans: config.OTEL_BSP_MAX_QUEUE_SIZE,
    delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    onExported: (spans) => counters.exported.inc({}, spans),
    onDropped(spans, reason, detail) {
      counters.dropped.inc({ reason }, spans)
      warn({ spans, reason, detail })
    },
  })
  const tracing = createLocalTraces({
    isSampled: createSampler(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG),
    slowMs: config.CUPEL_TRACE_SLOW_MS,
    mayKeep: fewASecond(MAX_KEPT_UNSAMPLED_PER_SECOND),
    keep(spans, reason) {
      counters.kept.inc({ reason })
      queue.add(spans)
    },
    onPassedOver: () => counters.passedOver.inc(),
  })
  return {
    tracing,
    async close() {
      await queue.close()
      client.close()
    },
  }
}

function openClient(config: TraceConfig, url: string): CollectorClient {
  try {
    return createCollectorClient({
      url,
      headers: headersOf(config.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? {},
      timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
      caFile: config.OTEL_EXPORTER_OTLP_CERTIFICATE,
    })
  } catch (cause) {
    throw new ConfigError(`OTEL_EXPORTER_OTLP_CERTIFICATE cannot be read: ${(cause as Error).message}.`, {
      cause,
    })
  }
}

function resourceOf(config: TraceConfig, service: string): SpanAttributes {
  return {
    'service.name': `cupel-${service}`,
    'service.namespace': 'cupel',
    'service.instance.id': randomUUID(),
    'cupel.instance': config.CUPEL_INSTANCE,
    ...pairsOf(config.OTEL_RESOURCE_ATTRIBUTES),
  }
}

function fewASecond(perSecond: number): () => boolean {
  let second = -1
  let taken = 0
  return () => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      second = now
      taken = 0
    }
    taken += 1
    return taken <= perSecond
  }
}

function warnSometimes(logger: Logger): (fields: object) => void {
  let nextMs = 0
  return (fields) => {
    if (performance.now() < nextMs) return
    nextMs = performance.now() + WARN_PAUSE_MS
    logger.warn(fields, 'Spans of traces were dropped')
  }
}
