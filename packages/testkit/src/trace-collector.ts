/** A collector like that of OpenTelemetry: it accepts OTLP over HTTP with JSON and keeps every span and log record. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Null at the beginning of a trace. */
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: number
  readonly startedNs: bigint
  readonly endedNs: bigint
  /** From the resource: the process that made it. */
  readonly service: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly links: readonly string[]
  readonly isFailed: boolean
}

export interface CollectedRecord {
  readonly severity: string | undefined
  readonly body: string
  /** Null if it belongs to no trace. */
  readonly traceId: string | null
  readonly timeNs: bigint
  /** From the resource: the process that made it. */
  readonly service: string
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface TraceCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  readonly records: readonly CollectedRecord[]
  /** Everything that was sent, as text: it must contain no secret. */
  readonly texts: readonly string[]
  readonly requests: readonly { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[]
  /** Answers every further request with this status. */
  answerWith(status: number): void
  close(): Promise<void>
}

interface AnyValue {
  readonly stringValue?: string
  readonly intValue?: string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly AnyValue[] }
  readonly kvlistValue?: { readonly values: KeyValues }
}
type KeyValues = readonly { readonly key: string; readonly value: AnyValue }[]
interface LogsRequest {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: KeyValues }
    readonly scopeLogs: readonly { readonly logRecords: readonly SentRecord[] }[]
  }[]
}
interface SentRecord {
  readonly timeUnixNano: string
  readonly severityText?: string
  readonly body: AnyValue
  readonly attributes: KeyValues
  readonly traceId?: string
}
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}
interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: KeyValues
  readonly links?: readonly { readonly spanId: string }[]
  readonly status: { readonly code?: number }
}

const STATUS_ERROR = 2

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const records: CollectedRecord[] = []
  const texts: string[] = []
  const requests: { path: string; headers: NodeJS.Dict<string | string[]> }[] = []
  let status = 200
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('error', () => undefined)
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers })
      if (status === 200) {
        const text = Buffer.concat(pieces).toString()
        texts.push(text)
        if (request.url?.endsWith('/v1/logs') === true)
          records.push(...recordsOf(JSON.parse(text) as LogsRequest))
        else spans.push(...spansOf(JSON.parse(text) as TraceRequest))
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, records, texts, requests },
    answerWith: (next) => void (status = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function spansOf({ resourceSpans }: TraceRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(span, service)))
  })
}

function collected(span: SentSpan, service: string): CollectedSpan {
  return {
    ...{ traceId: span.traceId, spanId: span.spanId, name: span.name, kind: span.kind, service },
    parentSpanId: span.parentSpanId ?? null,
    startedNs: BigInt(span.startTimeUnixNano),
    endedNs: BigInt(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    links: (span.links ?? []).map(({ spanId }) => spanId),
    isFailed: span.status.code === STATUS_ERROR,
  }
}

function recordsOf({ resourceLogs }: LogsRequest): CollectedRecord[] {
  return resourceLogs.flatMap(({ resource, scopeLogs }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((record) => ({
        severity: record.severityText,
        body: record.body.stringValue ?? '',
        traceId: record.traceId ?? null,
        timeNs: BigInt(record.timeUnixNano),
        service,
        attributes: valuesOf(record.attributes),
      })),
    )
  })
}

function attributesOf(pairs: KeyValues): Record<string, string | number | boolean> {
  return valuesOf(pairs) as Record<string, string | number | boolean>
}

const valuesOf = (pairs: KeyValues): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]))

function valueOf(value: AnyValue): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(valueOf)
  if (value.kvlistValue !== undefined) return valuesOf(value.kvlistValue.values)
  if (value.intValue !== undefined) return Number(value.intValue)
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null
}

/** The spans of a trace as lines, each indented below its parent; siblings are ordered by their start. */
export function drawTrace(spans: readonly CollectedSpan[]): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const below = (parent: string | null): CollectedSpan[] =>
    spans
      .filter(({ parentSpanId }) =>
        parent === null ? parentSpanId === null || !known.has(parentSpanId) : parentSpanId === parent,
      )
      .toSorted((a, b) => (a.startedNs < b.startedNs ? -1 : a.startedNs > b.startedNs ? 1 : 0))
  const draw = (span: CollectedSpan, depth: number): string[] => [
    '  '.repeat(depth) + span.name,
    ...below(span.spanId).flatMap((child) => draw(child, depth + 1)),
  ]
  return below(null).flatMap((root) => draw(root, 0))
}
