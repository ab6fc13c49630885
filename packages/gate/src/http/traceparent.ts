/** The trace that the caller names for a call (W3C Trace Context, version 00). */
import type { IncomingHttpHeaders } from 'node:http'
import type { Call } from './endpoint.js'

/** Without its flag: the operator decides which traces are sampled, in every process that reads the records of the call. */
export function traceparentOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['traceparent']
  return typeof value === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value)
    ? value.replace(/..$/, '00')
    : undefined
}

/** The trace of an event that a call makes: that of the step which appends it, or else what the caller names. */
export function traceparentFor({ trace, headers }: Call, eventId: string): string | undefined {
  return trace?.traceparentOf(eventId) ?? traceparentOf(headers)
}
