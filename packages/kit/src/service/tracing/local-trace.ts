/**
 * The work of one process for one call or record. Times and names are stored as they occur. Spans are made only at the end, when
 * it is known whether the trace is kept: sampled, failed, or slow.
 */
import type {
  SpanAttributes,
  SpanKind,
  Step,
  StepOptions,
  Trace,
  TraceOptions,
  Tracing,
} from '@cupel/contracts'
import type { IsSampled } from './sampler.js'
import { readTraceparent, spanIdOf, traceIdOf, writeTraceparent } from './trace-context.js'

/** A span that has ended, in the form in which it is exported. */
export interface EndedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly isSampled: boolean
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly attributes: SpanAttributes
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly isFailed: boolean
}

export type KeptBecause = 'sampled' | 'failed' | 'slow'

export interface LocalTracesOptions {
  readonly isSampled: IsSampled
  readonly slowMs: number
  /** Whether an unsampled trace may be kept. */
  readonly mayKeep: () => boolean
  readonly keep: (spans: readonly EndedSpan[], because: KeptBecause) => void
  /** A trace was slow or failed, but `mayKeep` returned false. */
  readonly onPassedOver: () => void
}

/** Maximum number of steps stored for one trace; a call has a handful. */
export const MAX_STEPS_PER_TRACE = 64

export function createLocalTraces(options: LocalTracesOptions): Tracing {
  return { begin: (begun) => beginTrace(options, begun) }
}

/** Shared by the spans of a trace in this process. */
interface Whole {
  readonly traceId: string
  readonly isSampled: boolean
  /** Milliseconds since 1970 at the zero of performance.now, according to the clock now. */
  readonly zeroMs: number
  readonly steps: NotedSpan[]
  open: number
  hasFailed: boolean
  isFinished: boolean
  readonly finish: () => void
}

function beginTrace(options: LocalTracesOptions, begun: TraceOptions): Trace {
  const parent = readTraceparent(begun.parent)
  const ownId = traceIdOf(begun.id)
  const traceId = parent?.traceId ?? ownId
  // Whoever could have the calls of others traced, or their own always, could fill the collector.
  const decidesItself = begun.isParentForeign === true
  const whole: Whole = {
    traceId,
    isSampled: decidesItself ? options.isSampled(ownId, null) : options.isSampled(traceId, parent),
    zeroMs: Date.now() - performance.now(),
    steps: [],
    open: 1,
    hasFailed: false,
    isFinished: false,
    finish: () => finish(options, begun, whole, root),
  }
  const root = new NotedSpan(whole, begun.name, begun.kind, parent?.spanId ?? null, begun)
  return {
    traceId,
    isSampled: whole.isSampled,
    get traceparent() {
      return root.traceparent
    },
    traceparentOf: (eventId) =>
      writeTraceparent({ traceId, spanId: spanIdOf(eventId), isSampled: whole.isSampled }),
    step(name, step = {}) {
      const span = new NotedSpan(whole, name, step.kind ?? 'internal', root.spanId, step)
      whole.open += 1
      if (whole.steps.length < MAX_STEPS_PER_TRACE) whole.steps.push(span)
      return span
    },
    note: (attributes) => root.note(attributes),
    fail: () => root.fail(),
    end: () => root.end(),
  }
}

class NotedSpan implements Step {
  readonly #whole: Whole
  readonly #name: string
  readonly #kind: SpanKind
  readonly #parentSpanId: string | null
  readonly #eventId: string | undefined
  readonly #startedMs: number
  #endedMs: number | null = null
  #spanId: string | null = null
  #attributes: SpanAttributes
  #links: string[] | null = null
  #isFailed = false

  constructor(
    whole: Whole,
    name: string,
    kind: SpanKind,
    parentSpanId: string | null,
    { startedMs, eventId, attributes }: StepOptions,
  ) {
    this.#whole = whole
    this.#name = name
    this.#kind = kind
    this.#parentSpanId = parentSpanId
    this.#eventId = eventId
    this.#startedMs = startedMs ?? performance.now()
    this.#attributes = attributes ?? NO_ATTRIBUTES
  }

  get spanId(): string {
    return (this.#spanId ??= spanIdOf(this.#eventId))
  }

  get traceparent(): string {
    const { traceId, isSampled } = this.#whole
    return writeTraceparent({ traceId, spanId: this.spanId, isSampled })
  }

  get startedMs(): number {
    return this.#startedMs
  }

  get endedMs(): number {
    return this.#endedMs ?? this.#startedMs
  }

  link(traceparent: string | undefined): void {
    if (traceparent !== undefined) (this.#links ??= []).push(traceparent)
  }

  note(attributes: SpanAttributes): void {
    this.#attributes = { ...this.#attributes, ...attributes }
  }

  fail(): void {
    this.#isFailed = true
    this.#whole.hasFailed = true
  }

  end(): void {
    if (this.#endedMs !== null) return
    this.#endedMs = performance.now()
    this.#whole.open -= 1
    if (this.#whole.open > 0 || this.#whole.isFinished) return
    this.#whole.isFinished = true
    this.#whole.finish()
  }

  ended(): EndedSpan {
    const { traceId, isSampled, zeroMs } = this.#whole
    return {
      ...{ traceId, isSampled, spanId: this.spanId, parentSpanId: this.#parentSpanId },
      ...{ name: this.#name, kind: this.#kind, attributes: this.#attributes, isFailed: this.#isFailed },
      startedAtMs: zeroMs + this.#startedMs,
      endedAtMs: zeroMs + this.endedMs,
      links: (this.#links ?? []).flatMap((text) => readTraceparent(text) ?? []),
    }
  }
}

const NO_ATTRIBUTES: SpanAttributes = {}

function finish(options: LocalTracesOptions, begun: TraceOptions, whole: Whole, root: NotedSpan): void {
  const because = reasonToKeep(options, begun, whole, root)
  if (because === null) return
  if (because !== 'sampled' && !options.mayKeep()) {
    options.onPassedOver()
    return
  }
  options.keep(
    [root, ...whole.steps].map((span) => span.ended()),
    because,
  )
}

function reasonToKeep(
  { slowMs }: LocalTracesOptions,
  { awaitedSinceMs }: TraceOptions,
  { isSampled, hasFailed, zeroMs }: Whole,
  { startedMs, endedMs }: NotedSpan,
): KeptBecause | null {
  if (isSampled) return 'sampled'
  if (hasFailed) return 'failed'
  const since = awaitedSinceMs === undefined ? startedMs : Math.min(startedMs, awaitedSinceMs - zeroMs)
  return endedMs - since >= slowMs ? 'slow' : null
}
