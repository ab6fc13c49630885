/**
 * The tracing interface of services: they receive a `Tracing`, or null if no traces are made, and never choose a library themselves. No
 * attribute holds a secret, an address or the name of an account.
 */
import type { NamedTrace } from './observability.js'

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface Tracing {
  /** Begins a trace of this process's work for one call or one record. */
  begin(options: TraceOptions): Trace
}

export interface TraceOptions {
  readonly name: string
  readonly kind: SpanKind
  /** The traceparent (W3C Trace Context) of the caller. An invalid value counts as absent. */
  readonly parent: string | undefined
  /** The parent comes from outside of the installation: it is continued, but decides nothing about sampling, nor does its trace id. */
  readonly isParentForeign?: boolean
  /** UUID of the origin of a trace without a parent: its digits are the trace id. It decides for a foreign parent as well. */
  readonly id?: string
  /** Clock reading (performance.now) of the beginning. */
  readonly startedMs: number
  /** When the wait for this work began, in milliseconds since 1970. Slowness is measured from then on. */
  readonly awaitedSinceMs?: number
  readonly attributes?: SpanAttributes
}

/** The work of one process for one call or record: a span with its steps. It is kept or dropped as a whole. */
export interface Trace extends NamedTrace {
  /** Names this span, for later spans that follow from it. */
  readonly traceparent: string
  /** Names the step that appends the event with this id, before or after it begins: a repeated append names the same step. */
  traceparentOf(eventId: string): string
  step(name: string, options?: StepOptions): Step
  /** Adds attributes to the span. */
  note(attributes: SpanAttributes): void
  /** Marks the span as failed, so that it is kept. */
  fail(): void
  /** A kept span is exported once its steps have also ended. */
  end(): void
}

export interface StepOptions {
  readonly kind?: SpanKind
  /** Clock reading (performance.now) of the beginning; now by default. */
  readonly startedMs?: number
  /** Id of the event that the step appends; see `traceparentOf`. */
  readonly eventId?: string
  readonly attributes?: SpanAttributes
}

export interface Step {
  /** Names another span that this one follows without being its child. */
  link(traceparent: string | undefined): void
  note(attributes: SpanAttributes): void
  fail(): void
  /** A second call changes nothing. */
  end(): void
}

/** The attributes of an append to the log, named after OpenTelemetry’s conventions for messaging. */
export function appendAttributes(log: string, topic: string): SpanAttributes {
  return {
    'messaging.system': log === 'kafka' ? 'kafka' : 'cupel_embedded_log',
    'messaging.operation.type': 'send',
    'messaging.destination.name': topic,
  }
}

/** The attributes of the handling of a record. */
export function recordAttributes(
  log: string,
  {
    topic,
    partition,
    offset,
  }: { readonly topic: string; readonly partition: number; readonly offset: number },
): SpanAttributes {
  return {
    'messaging.system': log === 'kafka' ? 'kafka' : 'cupel_embedded_log',
    'messaging.operation.type': 'process',
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.kafka.offset': offset,
  }
}
