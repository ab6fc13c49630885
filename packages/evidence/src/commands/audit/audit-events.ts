/** Every call with a key and every action of an operator, read from the log itself, oldest first. */
import type { DomainEvent } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { auditedPlaces, readAuditLog, type AuditLogEntry } from './audit-log.js'
import { createCallEnds } from './call-ends.js'
import { callsWithRecord } from './calls-with-record.js'

export interface AuditExport {
  /** Only events of this account: calls with its keys, and actions on these keys. */
  readonly accountId?: string | undefined
  /** From this moment on; UTC, RFC 3339. */
  readonly since?: string | undefined
  /** Before this moment. */
  readonly until?: string | undefined
}

/** An event that was repeated after a failure has the same id. This many ids are remembered to leave the repeats out. */
const MAX_REMEMBERED_IDS = 200_000
/** Number of events that are sorted by time: a call becomes known only when it has ended. */
const SORTED_EVENTS = 5_000

/**
 * The events up to the end of the log as it is now. A call that another event records is an ApiRequestAudited here as well, once
 * its outcome is in the log. Memory is bounded but for the calls that `callsWithRecord` finds.
 */
export async function* readAuditEvents(
  { log, codec }: { log: EventLog; codec: EventCodec },
  range: AuditExport,
): AsyncGenerator<DomainEvent> {
  const places = await auditedPlaces(log)
  const withRecord = await callsWithRecord(log, codec, places, range)
  const ends = createCallEnds()
  const isRepeat = createMemory(MAX_REMEMBERED_IDS)
  const eventsOf = (entry: AuditLogEntry): readonly DomainEvent[] => {
    if (entry.kind === 'outcome') return ends.outcome(entry.reportId, entry.outcome)
    if (entry.kind === 'event') {
      const { data, envelope } = entry.event
      return isWanted(range, 'accountId' in data ? data.accountId : null, envelope.time) ? [entry.event] : []
    }
    const { call, accountId } = entry.recorded
    const isOwn = isWanted(range, accountId, call.at) && !withRecord.has(call.requestId)
    return isOwn ? ends.call(entry.recorded) : []
  }
  const waiting: DomainEvent[] = []
  for await (const entry of readAuditLog(log, codec, places)) {
    for (const event of eventsOf(entry)) if (!isRepeat(event.envelope.id)) waiting.push(event)
    if (waiting.length < 2 * SORTED_EVENTS) continue
    yield* waiting.sort(byTime).splice(0, SORTED_EVENTS)
  }
  yield* waiting.sort(byTime)
}

function isWanted({ accountId, since, until }: AuditExport, ownerId: string | null, time: string): boolean {
  return (
    (accountId === undefined || accountId === ownerId) &&
    (since === undefined || time >= since) &&
    (until === undefined || time < until)
  )
}

function byTime(one: DomainEvent, other: DomainEvent): number {
  return one.envelope.time < other.envelope.time ? -1 : one.envelope.time > other.envelope.time ? 1 : 0
}

function createMemory(size: number): (id: string) => boolean {
  const seen = new Set<string>()
  return (id) => {
    if (seen.has(id)) return true
    seen.add(id)
    if (seen.size > size) seen.delete(seen.values().next().value!)
    return false
  }
}
