/** Connects the parts of tracing: sampler, traces of this process, queue, collector. Loaded only if traces are made. */
import { createExportQueue } from './export-queue.js'
import { openClient, REASONS, resourceOf, warnSometimes } from './exporter-parts.js'
import { createLocalTraces, type EndedSpan } from './local-trace.js'
import type { OpenTracing, TraceCounters, TracingOptions } from './tracing-options.js'
import { traceRequest } from './otlp-json.js'
import { createSampler } from './sampler.js'

/** Slow or failed traces that a process keeps per second: during an outage there are many, and they are alike. */
export const MAX_KEPT_UNSAMPLED_PER_SECOND = 10

export function startTracing(options: TracingOptions, url: string, counters: TraceCounters): OpenTracing {
  const { config, service, logger } = options
  const resource = resourceOf(config, service)
  const client = openClient(config, url)
  const warn = warnSometimes(logger, 'Spans of traces were dropped')
  for (const reason of REASONS) counters.dropped.inc({ reason }, 0)
  const queue = createExportQueue<EndedSpan>({
    client,
    requestOf: (spans) => traceRequest(resource, spans),
    maxItems: config.OTEL_BSP_MAX_QUEUE_SIZE,
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
