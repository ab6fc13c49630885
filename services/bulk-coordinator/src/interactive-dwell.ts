/**
 * How long an interactive screen waited for its decision, from the headers of its report alone: the decision's time, and the
 * request's, which its id carries (UUIDv7, RFC 9562: the first 48 bits are milliseconds).
 */
import { TYPE_HEADER, type LogRecord } from '@cupel/event-log'

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** In milliseconds; null where the record is no report of a request that a person made. */
export function interactiveDwellMs({ headers }: LogRecord): number | null {
  if (headers[TYPE_HEADER] !== 'ReportGenerated') return null
  const requested = UUID_V7.exec(headers['causationid'] ?? '')
  const decidedAt = Date.parse(headers['ce_time'] ?? '')
  if (requested === null || Number.isNaN(decidedAt)) return null
  return Math.max(0, decidedAt - Number.parseInt(requested[1]! + requested[2]!, 16))
}
