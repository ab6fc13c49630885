/** Spans as a request of OTLP/HTTP with JSON (OpenTelemetry Protocol 1, ExportTraceServiceRequest). */
import type { SpanAttributes, SpanKind } from '@cupel/contracts'
import type { EndedSpan } from './local-trace.js'

/** Numbers of the protocol. */
const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
}
const STATUS_ERROR = 2
const FLAG_SAMPLED = 1
export const SCOPE = { name: 'cupel' }

/** The text of one request. */
export function traceRequest(resource: SpanAttributes, spans: readonly EndedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: SCOPE, spans: spans.map(spanOf) }],
      },
    ],
  })
}

function spanOf(span: EndedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
    flags: span.isSampled ? FLAG_SAMPLED : 0,
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAtMs),
    endTimeUnixNano: nanoseconds(span.endedAtMs),
    attributes: keyValues(span.attributes),
    ...(span.links.length === 0
      ? {}
      : { links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    status: span.isFailed ? { code: STATUS_ERROR } : {},
  }
}

/** Milliseconds with fractions as a whole number of nanoseconds; the JSON of protocol buffers writes 64 bits as text. */
export function nanoseconds(ms: number): string {
  const whole = Math.floor(ms)
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`
}

export function keyValues(attributes: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))
}

/** Converts any JSON value. */
function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  if (typeof value !== 'object' || value === null) return {}
  return { kvlistValue: { values: keyValues(value as Record<string, unknown>) } }
}

/** Number of spans or log records that the collector rejected in an accepted request. */
export function rejectedItems(body: string): number {
  try {
    const { partialSuccess } = JSON.parse(body) as {
      partialSuccess?: { rejectedSpans?: string | number; rejectedLogRecords?: string | number } | null
    }
    const rejected = Number(partialSuccess?.rejectedSpans ?? partialSuccess?.rejectedLogRecords ?? 0)
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
  } catch {
    // An empty answer, or one in another encoding, rejects nothing.
    return 0
  }
}
