/** The trace that the caller names for a call (W3C Trace Context, version 00). */
import type { IncomingHttpHeaders } from 'node:http'

export function traceparentOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['traceparent']
  return typeof value === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value)
    ? value
    : undefined
}
