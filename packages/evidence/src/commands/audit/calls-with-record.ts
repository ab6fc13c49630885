/** The calls that have an ApiRequestAudited although another event may record them: the answer in the ApiRequestAudited counts. */
import { topicOf } from '@cupel/contracts'
import { typeOf, type EventCodec, type EventLog } from '@cupel/event-log'
import { recordsAt, type AuditedPlace } from './audit-log.js'

/** The two records of a call may differ by a millisecond in its arrival time. */
const MARGIN_MS = 1_000

/**
 * Request ids, some hundred bytes each: of the calls in the range that changed something and were answered again, late or
 * with a fault. The record of a call may be relayed from the outbox long after its event, so the whole log is read for them.
 */
export async function callsWithRecord(
  log: EventLog,
  codec: EventCodec,
  places: readonly AuditedPlace[],
  { since, until }: { since?: string | undefined; until?: string | undefined },
): Promise<ReadonlySet<string>> {
  const topics = [topicOf('ApiRequestAudited', true), topicOf('ApiRequestAudited', false)]
  const partOf = codec.partOf('ApiRequestAudited', ['requestId', 'method', 'status', 'at'])
  const earliest = since === undefined ? -Infinity : Date.parse(since) - MARGIN_MS
  const latest = until === undefined ? Infinity : Date.parse(until) + MARGIN_MS
  const requestIds = new Set<string>()
  for (const place of places) {
    if (!topics.includes(place.topic)) continue
    for await (const records of recordsAt(log, place)) {
      for (const record of records) {
        if (typeOf(record) !== 'ApiRequestAudited') continue
        const { requestId, method, status, at } = partOf(record)!
        const atMs = Date.parse(at)
        if (mayHaveEvent(method, status) && atMs >= earliest && atMs < latest) requestIds.add(requestId)
      }
    }
  }
  return requestIds
}

/** A call that is refused with a 4xx appends no event of its own, and a read does not either. */
function mayHaveEvent(method: string, status: number): boolean {
  return method !== 'GET' && method !== 'HEAD' && (status < 400 || status >= 500)
}
