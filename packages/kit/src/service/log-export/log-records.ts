/** Written log lines as a request of OTLP/HTTP with JSON (OpenTelemetry Protocol 1, ExportLogsServiceRequest). */
import type { SpanAttributes } from '@cupel/contracts'
import { keyValues, nanoseconds, SCOPE } from '../tracing/otlp-json.js'

/** The protocol's numbers for the levels of the logger. */
const SEVERITIES: Readonly<Record<number, { readonly number: number; readonly text: string }>> = {
  20: { number: 5, text: 'DEBUG' },
  30: { number: 9, text: 'INFO' },
  40: { number: 13, text: 'WARN' },
  50: { number: 17, text: 'ERROR' },
}
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/

/** The text of one request. Only the content of the line is sent: secrets were left out when it was written. */
export function logsRequest(resource: SpanAttributes, lines: readonly string[]): string {
  return JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: keyValues(resource) },
        scopeLogs: [{ scope: SCOPE, logRecords: lines.map(recordOf) }],
      },
    ],
  })
}

function recordOf(line: string): object {
  const { level, time, msg, traceId, err, ...fields } = JSON.parse(line) as Line
  for (const name of NAMED_BY_RESOURCE) delete fields[name]
  const severity = SEVERITIES[level]
  const isTraced = traceId !== undefined && TRACE_ID.test(traceId)
  return {
    timeUnixNano: nanoseconds(Date.parse(time)),
    observedTimeUnixNano: nanoseconds(Date.parse(time)),
    ...(severity === undefined ? {} : { severityNumber: severity.number, severityText: severity.text }),
    body: { stringValue: msg },
    attributes: keyValues({ ...fields, ...errorAttributes(err) }),
    ...(isTraced ? { traceId } : {}),
  }
}

const NAMED_BY_RESOURCE = ['service', 'instance']

interface Line {
  readonly level: number
  readonly time: string
  readonly msg: string
  readonly traceId?: string
  readonly err?: unknown
  [field: string]: unknown
}

/** Named after OpenTelemetry’s conventions for exceptions. */
function errorAttributes(err: unknown): Readonly<Record<string, unknown>> {
  if (typeof err !== 'object' || err === null) return err === undefined ? {} : { err }
  const { type, message, stack, ...others } = err as Record<string, unknown>
  return {
    ...(type === undefined ? {} : { 'exception.type': type }),
    ...(message === undefined ? {} : { 'exception.message': message }),
    ...(stack === undefined ? {} : { 'exception.stacktrace': stack }),
    ...(Object.keys(others).length === 0 ? {} : { err: others }),
  }
}
