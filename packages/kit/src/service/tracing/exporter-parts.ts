/** Shared by the exporters of spans and of log records. Loaded only if one of them runs. */
import { randomUUID } from 'node:crypto'
import type { Logger, SpanAttributes } from '@cupel/contracts'
import { ConfigError } from '../config.js'
import { createCollectorClient, type CollectorClient } from './collector-client.js'
import type { DroppedBecause } from './export-queue.js'
import { headersOf, pairsOf } from './trace-settings.js'
import type { CollectorConfig } from './tracing-options.js'

/** Pause between two log lines about losses. */
const WARN_PAUSE_MS = 60_000
export const REASONS: readonly DroppedBecause[] = ['queue_full', 'unreachable', 'refused', 'shutdown']
/** The same for spans and log records of one process. */
const INSTANCE_ID = randomUUID()

export function openClient(config: CollectorConfig, url: string): CollectorClient {
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

/** The origin that the spans and log records of this process name. */
export function resourceOf(config: CollectorConfig, service: string): SpanAttributes {
  return {
    'service.name': `cupel-${service}`,
    'service.namespace': 'cupel',
    'service.instance.id': INSTANCE_ID,
    'cupel.instance': config.CUPEL_INSTANCE,
    ...pairsOf(config.OTEL_RESOURCE_ATTRIBUTES),
  }
}

/** Logs losses; the metric counts each of them. */
export function warnSometimes(logger: Logger, sentence: string): (fields: object) => void {
  let nextMs = 0
  return (fields) => {
    if (performance.now() < nextMs) return
    nextMs = performance.now() + WARN_PAUSE_MS
    logger.warn(fields, sentence)
  }
}
